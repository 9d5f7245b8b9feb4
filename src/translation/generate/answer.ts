// Gemini's generateContent answer ↔ the neutral form, whole. Only the first candidate has a neutral form. Gemini has no
// finish reason for function calls: an answer with a call that stopped regularly has the neutral reason `tool_calls`.

import { argumentsObject } from '../call-arguments.ts';
import { defined, Fields } from '../fields.ts';
import { withPrefix } from '../ids.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralUsage,
  Stop,
  StopReason,
} from '../neutral-answer.ts';
import type { JsonObject, Signature } from '../neutral-request.ts';
import { unwrapSignature, wrapSignature } from '../signature.ts';

export function readGenerateAnswer(body: JsonObject): NeutralAnswer {
  const fields = new Fields(body);
  const [candidate] = fields.objects('candidates');
  const parts = readParts(candidate?.object('content'), 0);
  const isBlocked = fields.object('promptFeedback')?.text('blockReason') !== undefined;
  const reason = isBlocked ? 'SAFETY' : candidate?.text('finishReason');
  return {
    id: fields.text('responseId') ?? '',
    model: fields.text('modelVersion') ?? '',
    createdAt: 0,
    parts: joinTexts(parts),
    stop: readStop(reason, parts),
    usage: readUsage(fields.object('usageMetadata')),
  };
}

/** `calls` counts the calls before these parts: calls without an id get one from their position. */
export function readParts(content: Fields | undefined, calls: number): readonly AnswerPart[] {
  let count = calls;
  return (content?.objects('parts') ?? []).flatMap((part): readonly AnswerPart[] => {
    const data = part.text('thoughtSignature');
    const signature = data === undefined ? undefined : unwrapSignature(data, 'generate');
    const text = part.text('text') ?? '';
    if (part.flag('thought') === true)
      return [{ kind: 'reasoning', text, signature, isRedacted: false }];
    const call = part.object('functionCall');
    if (!call) return text === '' ? [] : [{ kind: 'text', text }];
    count += 1;
    return [readCall(call, count, signature)];
  });
}

function readCall(call: Fields, number: number, signature: Signature | undefined): AnswerPart {
  return {
    kind: 'tool_call',
    id: call.text('id') ?? `call_${number}`,
    name: call.needText('name'),
    arguments: JSON.stringify(call.json('args') ?? {}),
    ...(signature ? { signature } : {}),
  };
}

/** Gemini may split a text into parts that mean nothing. */
function joinTexts(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const joined: AnswerPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'max_tokens',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  IMAGE_SAFETY: 'filtered',
  LANGUAGE: 'filtered',
};

export function readStop(reason: string | undefined, parts: readonly AnswerPart[]): Stop {
  const known = STOPS[reason ?? 'STOP'] ?? 'end';
  const hasCall = parts.some(({ kind }) => kind === 'tool_call');
  return { reason: known === 'end' && hasCall ? 'tool_calls' : known };
}

export function readUsage(usage: Fields | undefined): NeutralUsage {
  const cacheRead = usage?.number('cachedContentTokenCount') ?? 0;
  const prompt =
    (usage?.number('promptTokenCount') ?? 0) + (usage?.number('toolUsePromptTokenCount') ?? 0);
  const reasoning = usage?.number('thoughtsTokenCount') ?? 0;
  return {
    input: Math.max(0, prompt - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: (usage?.number('candidatesTokenCount') ?? 0) + reasoning,
    reasoning,
  };
}

export function writeGenerateAnswer(answer: NeutralAnswer): JsonObject {
  return {
    candidates: [
      {
        content: { role: 'model', parts: answer.parts.map(writePart) },
        finishReason: finishReason(answer.stop),
        index: 0,
      },
    ],
    usageMetadata: writeUsage(answer.usage),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

export function writePart(part: AnswerPart): JsonObject {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { text: part.text };
    case 'tool_call':
      return defined({
        functionCall: {
          id: withPrefix('', part.id),
          name: part.name,
          args: argumentsObject(part.arguments),
        },
        thoughtSignature: part.signature && wrapSignature(part.signature, 'generate'),
      });
    case 'reasoning':
      return defined({
        text: part.text,
        thought: true,
        thoughtSignature: part.signature && wrapSignature(part.signature, 'generate'),
      });
  }
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  max_tokens: 'MAX_TOKENS',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  refusal: 'PROHIBITED_CONTENT',
  filtered: 'SAFETY',
  context_window: 'MAX_TOKENS',
  paused: 'STOP',
};

export function finishReason({ reason }: Stop): string {
  return REASONS[reason];
}

export function writeUsage(usage: NeutralUsage): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return defined({
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning || undefined,
    cachedContentTokenCount: usage.cacheRead || undefined,
    totalTokenCount: prompt + usage.output,
  });
}
