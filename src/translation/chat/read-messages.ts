// The messages of a Chat Completions request → neutral turns and instructions: texts, images, files, tool calls and results.

import { readDataUrl } from '../data-url.ts';
import { TranslationProblem } from '../dialect.ts';
import type { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import type { MediaPart, MessageRead, TextPart, TurnPart } from '../neutral-request.ts';
import { reasoningPart } from './answer.ts';

export function readMessage(message: Fields, losses: Losses): MessageRead {
  message.skip('name');
  const role = message.needText('role');
  switch (role) {
    case 'system':
    case 'developer':
      return { system: message.done(losses, readTexts(message)) };
    case 'user':
      return { turn: { role, parts: message.done(losses, readContent(message, losses)) } };
    case 'assistant':
      return { turn: { role, parts: message.done(losses, readAssistant(message, losses)) } };
    case 'tool':
      return {
        turn: { role: 'user', parts: message.done(losses, [readToolResult(message, losses)]) },
      };
    default:
      throw new TranslationProblem(message.path('role'), 'is unknown');
  }
}

function readTexts(message: Fields): readonly TextPart[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').map((part) => ({ kind: 'text', text: part.needText('text') }));
}

function readContent(message: Fields, losses: Losses): readonly (TextPart | MediaPart)[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').flatMap((part) => readPart(part, losses));
}

function readPart(part: Fields, losses: Losses): readonly (TextPart | MediaPart)[] {
  switch (part.needText('type')) {
    case 'text':
      return part.done(losses, [{ kind: 'text', text: part.needText('text') }]);
    case 'image_url':
      return part.done(losses, [readImage(part.needObject('image_url'), losses)]);
    case 'file':
      return part.done(losses, readFile(part.needObject('file'), losses));
    default:
      losses.drop(part.path('type'));
      return [];
  }
}

function readImage(image: Fields, losses: Losses): MediaPart {
  const url = image.needText('url');
  const source = readDataUrl(url) ?? { kind: 'url' as const, url };
  return image.done(losses, { kind: 'image', source, detail: image.text('detail') });
}

/** A file stored at OpenAI exists only there. */
function readFile(file: Fields, losses: Losses): readonly MediaPart[] {
  const data = file.text('file_data');
  if (data === undefined) {
    losses.drop(file.path('file_id'));
    return [];
  }
  const source = readDataUrl(data) ?? { kind: 'base64', mediaType: 'application/pdf', data };
  return file.done(losses, [{ kind: 'document', source, name: file.text('filename') }]);
}

function readAssistant(message: Fields, losses: Losses): readonly TurnPart[] {
  message.skip('annotations');
  const refusal = message.text('refusal');
  return [
    ...readReasoningParts(message),
    ...readAssistantContent(message, losses),
    ...(refusal === undefined ? [] : [{ kind: 'refusal' as const, text: refusal }]),
    ...message.objects('tool_calls').map((call) => readToolCall(call, losses)),
  ];
}

function readAssistantContent(message: Fields, losses: Losses): readonly TurnPart[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').flatMap((part): readonly TurnPart[] => {
    if (part.text('type') === 'refusal')
      return [{ kind: 'refusal', text: part.needText('refusal') }];
    return readPart(part, losses).filter((read) => isOwnWord(read, part, losses));
  });
}

/** The fields in which this format's writer gives thoughts to callers. */
function readReasoningParts(message: Fields): readonly TurnPart[] {
  const text = message.text('reasoning_content') ?? '';
  const signature = message.text('reasoning_signature');
  if (text === '' && signature === undefined) return [];
  return [reasoningPart(text, signature)];
}

function readToolCall(call: Fields, losses: Losses): TurnPart {
  call.skip('type', 'index');
  const called = call.needObject('function');
  const part = {
    kind: 'tool_call' as const,
    id: call.needText('id'),
    name: called.needName('name'),
    arguments: called.text('arguments') ?? '{}',
  };
  called.dropRest(losses);
  return call.done(losses, part);
}

function readToolResult(message: Fields, losses: Losses): TurnPart {
  return {
    kind: 'tool_result',
    callId: message.needText('tool_call_id'),
    name: undefined,
    parts: readContent(message, losses),
    isError: false,
  };
}
