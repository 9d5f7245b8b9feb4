// Serializes an answer for OpenAI's Responses API: a response with output items, or the events that build
// them. Every event carries a sequence number; an item is added, filled and closed before the next one
// begins.

import type { Answer } from '../../answers.ts';
import type { Piece } from '../../scenario/chunks.ts';
import type { StreamEvent, WireFormat } from '../wire-format.ts';
import type { OutputItem } from './responses-items.ts';
import {
  closedItem,
  compactionOf,
  itemsOf,
  openItem,
  responseOf,
  toolCallItems,
} from './responses-items.ts';

export const openaiResponsesFormat: WireFormat = {
  unary: (answer) => responseOf(answer, 'final'),
  events,
};

/** The answer of `/v1/responses/compact`, which never streams. */
export const openaiCompactFormat: WireFormat = {
  unary: compactionOf,
  events,
};

function* events(answer: Answer, pieces: Iterable<Piece>): Generator<StreamEvent, void> {
  const write = numbered();
  const opening = responseOf(answer, 'open');
  yield write('response.created', { response: opening });
  yield write('response.in_progress', { response: opening });
  for (const item of toolCallItems(answer)) yield write('response.output_item.done', { item });
  const items = itemsOf(answer);
  let current: OutputItem | undefined;
  let index = -1;
  for (const piece of pieces) {
    const item = items.find((candidate) => candidate.key === keyOf(piece));
    if (!item) continue;
    if (item !== current) {
      if (current) yield* close(write, current, index);
      current = item;
      index += 1;
      yield* open(write, item, index);
    }
    const delta = { ...context(item, index), ...logprobs(item), delta: piece.delta };
    yield write(DELTAS[item.kind], delta, piece.bytes);
  }
  if (current) yield* close(write, current, index);
  const response = responseOf(answer, 'final');
  yield { ...write(`response.${response.status}`, { response }), isClosing: true };
}

type Write = (type: string, fields: Record<string, unknown>, contentBytes?: number) => StreamEvent;

function numbered(): Write {
  let sequence = -1;
  return (type, fields, contentBytes = 0) => {
    sequence += 1;
    return {
      name: type,
      data: JSON.stringify({ type, sequence_number: sequence, ...fields }),
      contentBytes,
    };
  };
}

function keyOf(piece: Piece): unknown {
  return piece.kind === 'tool' ? piece.call : piece.kind;
}

const DELTAS = {
  reasoning: 'response.reasoning_summary_text.delta',
  message: 'response.output_text.delta',
  function_call: 'response.function_call_arguments.delta',
} as const satisfies Record<OutputItem['kind'], string>;

function context(item: OutputItem, index: number): Record<string, unknown> {
  const common = { item_id: item.id, output_index: index };
  if (item.kind === 'reasoning') return { ...common, summary_index: 0 };
  return item.kind === 'message' ? { ...common, content_index: 0 } : common;
}

/** Only the events of a text have them. */
function logprobs({ kind }: OutputItem): Record<string, unknown> {
  return kind === 'message' ? { logprobs: [] } : {};
}

function* open(write: Write, item: OutputItem, index: number): Generator<StreamEvent, void> {
  yield write('response.output_item.added', { output_index: index, item: openItem(item) });
  const where = context(item, index);
  if (item.kind === 'reasoning')
    yield write('response.reasoning_summary_part.added', { ...where, part: summaryPart('') });
  if (item.kind === 'message')
    yield write('response.content_part.added', { ...where, part: textPart('') });
}

function* close(write: Write, item: OutputItem, index: number): Generator<StreamEvent, void> {
  const where = context(item, index);
  const { text } = item;
  if (item.kind === 'reasoning') {
    yield write('response.reasoning_summary_text.done', { ...where, text });
    yield write('response.reasoning_summary_part.done', { ...where, part: summaryPart(text) });
  } else if (item.kind === 'message') {
    yield write('response.output_text.done', { ...where, ...logprobs(item), text });
    yield write('response.content_part.done', { ...where, part: textPart(text) });
  } else {
    yield write('response.function_call_arguments.done', { ...where, arguments: text });
  }
  yield write('response.output_item.done', { output_index: index, item: closedItem(item) });
}

function summaryPart(text: string): unknown {
  return { type: 'summary_text', text };
}

function textPart(text: string): unknown {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
