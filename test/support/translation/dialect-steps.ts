// The steps of a translation with the terms that tests of dialects share.

import type { Dialect } from '../../../src/translation/dialect.ts';
import { Losses } from '../../../src/translation/losses.ts';
import type { NeutralAnswer, NeutralEvent } from '../../../src/translation/neutral-answer.ts';
import type { JsonObject, NeutralRequest } from '../../../src/translation/neutral-request.ts';
import { parseSse } from './random-conversations.ts';

export function read(dialect: Dialect, body: JsonObject, model = 'm'): NeutralRequest {
  return dialect.readRequest(body, { model, isStream: false }, new Losses('strict'));
}

export function write(dialect: Dialect, request: NeutralRequest): JsonObject {
  return dialect.writeRequest(request, { maxOutputTokens: 4096 }, new Losses('strict'));
}

/** The neutral events of a provider's stream. */
export function readStream(
  dialect: Dialect,
  ...events: readonly JsonObject[]
): readonly NeutralEvent[] {
  const reader = dialect.createStreamReader();
  return [...events.flatMap((event) => reader.push('', event)), ...reader.end()];
}

/** The whole parts of a stream. */
export function partsOf(events: readonly NeutralEvent[]) {
  return events.flatMap((event) => (event.kind === 'part_end' ? [event.part] : []));
}

export function endOf(events: readonly NeutralEvent[]) {
  return events.find((event) => event.kind === 'end');
}

/** The caller's events for an answer with one text, one thought and one call. */
export function writeStream(
  dialect: Dialect,
  events: readonly NeutralEvent[],
): readonly JsonObject[] {
  const writer = dialect.createStreamWriter({
    model: 'asked',
    includesUsage: true,
    isArray: false,
  });
  return parseSse(events.map((event) => writer.write(event)).join('')).map(({ data }) => data);
}

export const ANSWER: NeutralAnswer = {
  id: 'one',
  model: 'asked',
  createdAt: 1_800_000_000_000,
  parts: [
    {
      kind: 'reasoning',
      text: 'Hm.',
      signature: { vendor: 'messages', data: 'proof' },
      isRedacted: false,
    },
    { kind: 'text', text: 'Hello' },
    { kind: 'tool_call', id: 'c1', name: 'look', arguments: '{"at":1}' },
  ],
  stop: { reason: 'tool_calls' },
  usage: { input: 5, cacheRead: 3, cacheWrite: 2, output: 9, reasoning: 4 },
};
