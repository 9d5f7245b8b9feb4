// Splits an answer into stream chunks. Lazy: a stream of a hundred thousand chunks holds a single chunk at a
// time.

import type { Answer, ToolCall } from '../answers.ts';
import type { Scenario } from './scenario.ts';

export type Piece =
  | { readonly kind: 'thinking' | 'text'; readonly delta: string; readonly bytes: number }
  | {
      readonly kind: 'tool';
      readonly call: ToolCall;
      readonly delta: string;
      readonly bytes: number;
    };

/** About four tokens, the typical chunk of the providers. */
const USUAL_CHUNK_CHARACTERS = 16;

export type Chunking = Pick<Scenario, 'chunks' | 'chunkBytes'>;

export function* chunksOf(answer: Answer, chunking: Chunking): Generator<Piece, void> {
  for (const delta of cut(answer.thinking, {}))
    yield { kind: 'thinking', delta, bytes: Buffer.byteLength(delta) };
  for (const delta of cut(answer.text, chunking))
    yield { kind: 'text', delta, bytes: Buffer.byteLength(delta) };
  for (const call of answer.toolCalls)
    for (const delta of cut(call.inputJson, {}))
      yield { kind: 'tool', call, delta, bytes: Buffer.byteLength(delta) };
}

/** With `chunks`, that number of pieces of nearly equal length; else pieces of a fixed size. */
function* cut(text: string, chunking: Chunking): Generator<string, void> {
  const { chunks, chunkBytes } = chunking;
  const count =
    chunks ?? Math.ceil(text.length / Math.max(1, chunkBytes ?? USUAL_CHUNK_CHARACTERS));
  let start = 0;
  for (let index = 1; index <= count && start < text.length; index += 1) {
    const end =
      index === count
        ? text.length
        : wholeCharacter(text, Math.round((text.length * index) / count));
    if (end <= start) continue;
    yield text.slice(start, end);
    start = end;
  }
}

/** Half of a surrogate pair would reach the client as a replacement character. */
function wholeCharacter(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
