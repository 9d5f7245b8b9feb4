// The input items of a Responses request → neutral turns and instructions: messages, tool calls and their outputs, thoughts.

import { readDataUrl } from '../data-url.ts';
import { TranslationProblem } from '../dialect.ts';
import type { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import type { MediaPart, MessageRead, TextPart, TurnPart } from '../neutral-request.ts';
import { wrapFreeform } from './freeform.ts';
import { readReasoningItem } from './reasoning-item.ts';

export function readInput(fields: Fields, losses: Losses): readonly MessageRead[] {
  const input = fields.raw('input');
  if (typeof input === 'string')
    return [{ turn: { role: 'user', parts: [{ kind: 'text', text: input }] } }];
  return fields.objects('input').flatMap((item) => readItem(item, losses));
}

function readItem(item: Fields, losses: Losses): readonly MessageRead[] {
  const type = item.text('type') ?? 'message';
  item.skip('status', 'id', 'internal_chat_message_metadata_passthrough');
  switch (type) {
    case 'message':
      return [readMessage(item, losses)];
    case 'function_call':
      return [assistant(item, losses, readCall(item, item.text('arguments') ?? '{}'))];
    case 'custom_tool_call':
      return [assistant(item, losses, readCall(item, wrapFreeform(item.text('input') ?? '')))];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [user(item, losses, readOutput(item, losses))];
    case 'reasoning':
      return [assistant(item, losses, readReasoningItem(item))];
    default:
      losses.drop(item.path('type'));
      return [];
  }
}

function assistant(item: Fields, losses: Losses, part: TurnPart): MessageRead {
  return item.done(losses, { turn: { role: 'assistant' as const, parts: [part] } });
}

function user(item: Fields, losses: Losses, part: TurnPart): MessageRead {
  return item.done(losses, { turn: { role: 'user' as const, parts: [part] } });
}

function readMessage(item: Fields, losses: Losses): MessageRead {
  item.skip('phase');
  const role = item.needText('role');
  const content = item.raw('content');
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content }]
      : item.objects('content').flatMap((part) => {
          const read = readPart(part, losses);
          return role === 'user' ? read : read.filter((each) => isOwnWord(each, part, losses));
        });
  item.dropRest(losses);
  if (role === 'user' || role === 'assistant') return { turn: { role, parts } };
  if (role !== 'system' && role !== 'developer')
    throw new TranslationProblem(item.path('role'), 'is unknown');
  return { system: parts.flatMap((part) => (part.kind === 'text' ? [part] : [])) };
}

type ContentPart = TextPart | MediaPart | Extract<TurnPart, { kind: 'refusal' }>;

function readPart(part: Fields, losses: Losses): readonly ContentPart[] {
  switch (part.needText('type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
      part.skip('annotations', 'logprobs');
      return part.done(losses, [{ kind: 'text', text: part.needText('text') }]);
    case 'refusal':
      return part.done(losses, [{ kind: 'refusal', text: part.needText('refusal') }]);
    case 'input_image':
      return readImage(part, losses);
    case 'input_file':
      return readFile(part, losses);
    default:
      losses.drop(part.path('type'));
      return [];
  }
}

/** An image or a file stored at OpenAI exists only there. */
function readImage(part: Fields, losses: Losses): readonly MediaPart[] {
  const url = part.text('image_url');
  const detail = part.text('detail');
  part.dropRest(losses);
  if (url === undefined) return [];
  return [{ kind: 'image', source: readDataUrl(url) ?? { kind: 'url', url }, detail }];
}

function readFile(part: Fields, losses: Losses): readonly MediaPart[] {
  const data = part.text('file_data');
  const url = part.text('file_url');
  const name = part.text('filename');
  part.dropRest(losses);
  if (data !== undefined) {
    const bytes = { kind: 'base64' as const, mediaType: 'application/pdf', data };
    return [{ kind: 'document', source: readDataUrl(data) ?? bytes, name }];
  }
  return url === undefined ? [] : [{ kind: 'document', source: { kind: 'url', url }, name }];
}

function readCall(item: Fields, text: string): TurnPart {
  return {
    kind: 'tool_call',
    id: item.needText('call_id'),
    name: item.needName('name'),
    arguments: text,
  };
}

function readOutput(item: Fields, losses: Losses): TurnPart {
  const output = item.raw('output');
  const parts: (TextPart | MediaPart)[] = [];
  if (typeof output === 'string') parts.push({ kind: 'text', text: output });
  else
    for (const inner of item.objects('output'))
      for (const part of readPart(inner, losses)) if (part.kind !== 'refusal') parts.push(part);
  const callId = item.needText('call_id');
  item.skip('name');
  return { kind: 'tool_result', callId, name: undefined, parts, isError: false };
}
