// The system prompt and the messages of a Messages request → neutral turns and instructions: texts, media, tool uses and
// results, thoughts with Anthropic's proof.

import { TranslationProblem } from '../dialect.ts';
import type { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import type { MediaPart, MessageRead, TextPart, TurnPart } from '../neutral-request.ts';
import { unwrapProof, unwrapSignature } from '../signature.ts';

export function readSystem(fields: Fields, losses: Losses): readonly TextPart[] {
  const system = fields.raw('system');
  if (typeof system === 'string') return [{ kind: 'text', text: system }];
  return fields.objects('system').map((block) => readText(block, losses));
}

/** Instructions between turns (role `system`) join the system prompt: not every vendor accepts them there. */
export function readMessage(message: Fields, losses: Losses): MessageRead {
  const role = message.needText('role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new TranslationProblem(message.path('role'), 'is unknown');
  const content = message.raw('content');
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content }]
      : message.objects('content').flatMap((block) => {
          const read = readBlock(block, losses);
          return role === 'user' ? read : read.filter((part) => isOwnWord(part, block, losses));
        });
  message.dropRest(losses);
  if (role !== 'system') return { turn: { role, parts } };
  return { system: parts.flatMap((part) => (part.kind === 'text' ? [part] : [])) };
}

function readBlock(block: Fields, losses: Losses): readonly TurnPart[] {
  block.skip('cache_control');
  switch (block.needText('type')) {
    case 'text':
      return [readText(block, losses)];
    case 'image':
    case 'document':
      return readMedia(block, losses);
    case 'tool_use':
      return [readToolUse(block, losses)];
    case 'tool_result':
      return [readToolResult(block, losses)];
    case 'thinking':
      return [readThinking(block, losses)];
    case 'redacted_thinking':
      return [readRedacted(block, losses)];
    default:
      losses.drop(block.path('type'));
      return [];
  }
}

function readText(block: Fields, losses: Losses): TextPart {
  block.skip('type', 'cache_control', 'citations');
  const text = block.needText('text');
  block.dropRest(losses);
  return { kind: 'text', text };
}

function readMedia(block: Fields, losses: Losses): readonly MediaPart[] {
  block.skip('cache_control');
  const kind = block.needText('type') === 'image' ? 'image' : 'document';
  const source = readSource(block.needObject('source'), losses);
  const name = block.text('title');
  const citations = block.object('citations');
  if (citations?.flag('enabled') === true) losses.drop(block.path('citations'));
  return block.done(losses, source ? [{ kind, source, name }] : []);
}

/** A file stored at Anthropic exists only there. */
function readSource(source: Fields, losses: Losses): MediaPart['source'] | undefined {
  switch (source.needText('type')) {
    case 'base64':
      return source.done(losses, {
        kind: 'base64',
        mediaType: source.needText('media_type'),
        data: source.needText('data'),
      });
    case 'text':
      return source.done(losses, {
        kind: 'base64',
        mediaType: source.text('media_type') ?? 'text/plain',
        data: Buffer.from(source.needText('data')).toString('base64'),
      });
    case 'url':
      return source.done(losses, { kind: 'url', url: source.needText('url') });
    default:
      losses.drop(source.path('type'));
      return undefined;
  }
}

function readToolUse(block: Fields, losses: Losses): TurnPart {
  const input = block.json('input') ?? {};
  const id = block.needText('id');
  const name = block.needName('name');
  block.skip('caller');
  block.dropRest(losses);
  return { kind: 'tool_call', id, name, arguments: JSON.stringify(input) };
}

function readToolResult(block: Fields, losses: Losses): TurnPart {
  const content = block.raw('content');
  const parts: (TextPart | MediaPart)[] = [];
  if (typeof content === 'string') parts.push({ kind: 'text', text: content });
  else
    for (const inner of block.objects('content'))
      for (const part of readBlock(inner, losses))
        if (part.kind === 'text' || part.kind === 'image' || part.kind === 'document')
          parts.push(part);
        else losses.drop(inner.path('type'));
  const callId = block.needText('tool_use_id');
  const isError = block.flag('is_error') ?? false;
  block.dropRest(losses);
  return { kind: 'tool_result', callId, name: undefined, parts, isError };
}

function readThinking(block: Fields, losses: Losses): TurnPart {
  const text = block.text('thinking') ?? '';
  const signature = block.text('signature');
  block.dropRest(losses);
  if (!signature) return { kind: 'reasoning', text, signature: undefined, isRedacted: false };
  return { kind: 'reasoning', text, ...unwrapProof(signature, 'messages') };
}

function readRedacted(block: Fields, losses: Losses): TurnPart {
  const signature = unwrapSignature(block.needText('data'), 'messages');
  block.dropRest(losses);
  return { kind: 'reasoning', text: '', signature, isRedacted: true };
}
