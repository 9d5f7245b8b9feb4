// The conversation that the replying model gets: earlier turns or facts of the caller, then the message. All of it is in
// user and assistant turns: no text of a caller becomes an instruction of the system.

import type { Turn } from '../../translation/neutral-request.ts';
import type { ChatRequest, ChatTurn } from './chat-request.ts';

export function turnsOf({ message, context }: Pick<ChatRequest, 'message' | 'context'>): Turn[] {
  if (context === undefined) return [textTurn('user', message)];
  if (isConversation(context))
    return [
      ...context.map(({ role, content }) => textTurn(role, content)),
      textTurn('user', message),
    ];
  const facts = typeof context === 'string' ? context : JSON.stringify(context);
  return [textTurn('user', `Context:\n${facts}\n\nRequest:\n${message}`)];
}

function isConversation(
  context: NonNullable<ChatRequest['context']>,
): context is readonly ChatTurn[] {
  return Array.isArray(context);
}

function textTurn(role: Turn['role'], text: string): Turn {
  return { role, parts: [{ kind: 'text', text }] };
}
