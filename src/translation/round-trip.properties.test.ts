// Random conversations survive each dialect: neutral form → dialect → neutral form gives the same request and the same
// answer, whole and streamed, as far as the dialect can express it. So do they through any two dialects.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  anyAnswer,
  anyRequest,
  comparable,
  comparableAnswer,
  eventsOf,
  parseSse,
  wholeText,
} from '../../test/support/translation/random-conversations.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import { Losses } from './losses.ts';
import type { NeutralEvent } from './neutral-answer.ts';
import { DIALECTS, type DialectName, type NeutralRequest } from './neutral-request.ts';

for (const name of DIALECTS) {
  const dialect = DIALECTS_BY_NAME[name];

  test(`a request survives ${name}`, () => {
    fc.assert(
      fc.property(anyRequest, (given) => {
        const read = throughRequest(name, given);
        assert.deepEqual(comparable(read), comparable(given));
      }),
    );
  });

  test(`an answer survives ${name}`, () => {
    fc.assert(
      fc.property(anyAnswer, (given) => {
        const sent: unknown = JSON.parse(JSON.stringify(dialect.writeAnswer(given)));
        assert.ok(isObject(sent));
        const read = dialect.readAnswer(sent);
        assert.deepEqual(comparableAnswer(read), comparableAnswer(given));
      }),
    );
  });

  test(`a stream survives ${name}`, () => {
    fc.assert(
      fc.property(anyAnswer, fc.integer({ min: 1, max: 7 }), (given, size) => {
        const terms = { model: given.model, includesUsage: true, isArray: false };
        const writer = dialect.createStreamWriter(terms);
        const bytes = eventsOf(given, size)
          .map((event) => writer.write(event))
          .join('');
        const reader = dialect.createStreamReader();
        const events = parseSse(bytes).flatMap(({ event, data }) => reader.push(event, data));
        const read = [...events, ...reader.end()];
        assertGrammar(read);
        const ended = read.flatMap((event) => (event.kind === 'part_end' ? [event.part] : []));
        const end = read.at(-1);
        assert.ok(end?.kind === 'end');
        assert.deepEqual(
          comparableAnswer({ ...given, parts: ended, stop: end.stop, usage: end.usage }),
          comparableAnswer(given),
        );
        assert.deepEqual(deltasOf(read), ended.map(wholeText));
      }),
    );
  });
}

for (const first of DIALECTS)
  for (const second of DIALECTS.filter((name) => name !== first))
    test(`a request survives ${first} and then ${second}`, () => {
      fc.assert(
        fc.property(anyRequest, (given) => {
          const read = throughRequest(second, throughRequest(first, given));
          assert.deepEqual(comparable(read), comparable(given));
        }),
        { numRuns: 30 },
      );
    });

function throughRequest(name: DialectName, given: NeutralRequest): NeutralRequest {
  const dialect = DIALECTS_BY_NAME[name];
  const losses = new Losses('strict');
  const sent: unknown = JSON.parse(
    JSON.stringify(dialect.writeRequest(given, { maxOutputTokens: 4096 }, losses)),
  );
  assert.ok(isObject(sent));
  return dialect.readRequest(sent, { model: given.model, isStream: given.isStream }, losses);
}

/** start (part_start delta* part_end)* end */
function assertGrammar(events: readonly NeutralEvent[]): void {
  const kinds = events.map(({ kind }) => kind).join(' ');
  assert.match(`${kinds} `, /^start (part_start (delta )*part_end )*end $/);
}

function deltasOf(events: readonly NeutralEvent[]): readonly string[] {
  const texts: string[] = [];
  for (const event of events) {
    if (event.kind === 'part_start') texts.push('');
    if (event.kind === 'delta') texts[texts.length - 1] += event.text;
  }
  return texts;
}
