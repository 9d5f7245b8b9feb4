// The order of events that each vendor documents for its streams, as checks on a whole stream: starts, ends, numbers
// and repetitions. The vendors' SDKs tolerate more than this.

import assert from 'node:assert/strict';
import { isObject } from '../../../src/translation/fields.ts';
import type { DialectName, JsonObject } from '../../../src/translation/neutral-request.ts';

export type SentEvent = { readonly event: string; readonly data: JsonObject | '[DONE]' };

/** The events of a body of server-sent events, with the end mark of OpenAI's format. */
export function eventsIn(body: string): readonly SentEvent[] {
  assert.match(body, /\r?\n\r?\n$/, 'the last event is complete');
  return body
    .trimEnd()
    .split(/\r?\n\r?\n/)
    .map((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1]?.trimEnd() ?? '';
      const text = /^data: (.*)$/m.exec(block)?.[1]?.trimEnd() ?? '';
      if (text === '[DONE]') return { event, data: text };
      const data: unknown = JSON.parse(text);
      assert.ok(isObject(data));
      return { event, data };
    });
}

export const ASSERT_ORDER: Readonly<Record<DialectName, (events: readonly SentEvent[]) => void>> = {
  messages: assertMessages,
  chat: assertChat,
  responses: assertResponses,
  generate: assertGenerate,
};

/** Events that repeat their name in their data. */
function named(events: readonly SentEvent[]): readonly JsonObject[] {
  return events.map(({ event, data }) => {
    assert.ok(data !== '[DONE]');
    assert.equal(data['type'], event);
    return data;
  });
}

function assertMessages(events: readonly SentEvent[]): void {
  const sent = named(events);
  const kinds = sent.map(({ type }) => `${String(type)} `).join('');
  assert.match(
    kinds,
    /^message_start (ping )*(content_block_start (content_block_delta |ping )*content_block_stop )*message_delta message_stop $/,
  );
  const starts = sent.filter(({ type }) => type === 'content_block_start');
  assert.deepEqual(
    starts.map(({ index }) => index),
    starts.map((_, at) => at),
  );
  let open: unknown;
  for (const { type, index } of sent) {
    if (type === 'content_block_start') open = index;
    if (type === 'content_block_delta' || type === 'content_block_stop') assert.equal(index, open);
  }
  const message = objectIn(sent[0], 'message');
  assert.deepEqual([message['content'], message['stop_reason']], [[], null]);
  const end = sent.find(({ type }) => type === 'message_delta');
  assert.equal(typeof objectIn(end, 'delta')['stop_reason'], 'string');
  assert.ok(Number(objectIn(end, 'usage')['output_tokens']) > 0);
}

/** The request asks for the usage. */
function assertChat(events: readonly SentEvent[]): void {
  assert.equal(events.at(-1)?.data, '[DONE]');
  const chunks = events.slice(0, -1).map(({ event, data }) => {
    assert.equal(event, '');
    assert.ok(data !== '[DONE]');
    return data;
  });
  const heads = new Set(
    chunks.map(({ id, object, created, model }) => JSON.stringify([id, object, created, model])),
  );
  assert.equal(heads.size, 1);
  const [usage, ...before] = chunks.toReversed();
  assert.deepEqual(usage?.['choices'], []);
  assert.ok(Number(objectIn(usage, 'usage')['total_tokens']) > 0);
  const choices = before.toReversed().map((chunk) => {
    assert.equal(chunk['usage'], null);
    const [choice, ...others] = listIn(chunk, 'choices');
    assert.deepEqual(others, []);
    return choice;
  });
  const roles = choices.map((choice) => objectIn(choice, 'delta')['role']);
  assert.deepEqual(roles, ['assistant', ...roles.slice(1).map(() => undefined)]);
  const reasons = choices.map((choice) => choice?.['finish_reason']);
  assert.equal(typeof reasons.at(-1), 'string');
  assert.deepEqual(new Set(reasons.slice(0, -1)), new Set([null]));
  assert.deepEqual(objectIn(choices.at(-1), 'delta'), {});
}

const ITEM = [
  'content_part.added (output_text.delta )*output_text.done content_part.done ',
  'content_part.added (refusal.delta )*refusal.done content_part.done ',
  '(function_call_arguments.delta )*function_call_arguments.done ',
  '(reasoning_summary_part.added (reasoning_summary_text.delta )*reasoning_summary_text.done reasoning_summary_part.done )*',
].join('|');
const RESPONSE = new RegExp(
  `^created in_progress (output_item.added (${ITEM})output_item.done )*(completed|incomplete) $`,
);

function assertResponses(events: readonly SentEvent[]): void {
  const sent = named(events);
  const kinds = sent.map(({ type }) => `${String(type).replace(/^response\./, '')} `).join('');
  assert.match(kinds, RESPONSE);
  assert.deepEqual(
    sent.map((event) => event['sequence_number']),
    sent.map((_, at) => at),
  );
  const added = sent.filter(({ type }) => type === 'response.output_item.added');
  const done = sent.filter(({ type }) => type === 'response.output_item.done');
  for (const items of [added, done])
    assert.deepEqual(
      items.map((event) => event['output_index']),
      items.map((_, at) => at),
    );
  const ids = added.map((event) => objectIn(event, 'item')['id']);
  for (const event of sent)
    if ('item_id' in event) assert.equal(event['item_id'], ids[Number(event['output_index'])]);
  const last = objectIn(sent.at(-1), 'response');
  assert.deepEqual(
    last['output'],
    done.map((event) => event['item']),
  );
  assert.equal(objectIn(sent[0], 'response')['id'], last['id']);
  assert.ok(Number(objectIn(last, 'usage')['output_tokens']) > 0);
}

function assertGenerate(events: readonly SentEvent[]): void {
  const chunks = events.map(({ event, data }) => {
    assert.equal(event, '');
    assert.ok(data !== '[DONE]');
    return data;
  });
  const heads = new Set(
    chunks.map((chunk) => JSON.stringify([chunk['responseId'], chunk['modelVersion']])),
  );
  assert.equal(heads.size, 1);
  const candidates = chunks.map((chunk) => listIn(chunk, 'candidates')[0]);
  for (const candidate of candidates) assert.equal(objectIn(candidate, 'content')['role'], 'model');
  const reasons = candidates.map((candidate) => candidate?.['finishReason']);
  assert.equal(typeof reasons.at(-1), 'string');
  assert.deepEqual(new Set(reasons.slice(0, -1)), new Set([undefined]));
  assert.ok(Number(objectIn(chunks.at(-1), 'usageMetadata')['totalTokenCount']) > 0);
}

function objectIn(object: JsonObject | undefined, name: string): JsonObject {
  const value = object?.[name];
  assert.ok(isObject(value), `${name} is an object`);
  return value;
}

function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  assert.ok(Array.isArray(value) && value.every(isObject), `${name} is a list of objects`);
  return value;
}
