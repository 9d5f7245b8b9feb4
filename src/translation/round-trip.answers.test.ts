// Random answers, whole and streamed, survive every pair of dialects there and back, with every feature that both have:
// parts in order, proofs of thoughts, the stop reason, all token counts. The features of each dialect are in
// `random-answers.ts`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answersOf, comparableAnswer } from '../../test/support/translation/random-answers.ts';
import {
  eventsOf,
  parseSse,
  wholeText,
} from '../../test/support/translation/random-conversations.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import type { NeutralAnswer, NeutralEvent } from './neutral-answer.ts';
import { DIALECTS, type DialectName } from './neutral-request.ts';

const RUNS = { numRuns: 60 };

for (const first of DIALECTS)
  for (const second of DIALECTS) {
    const way = first === second ? [first] : [first, second, first];

    test(`an answer survives ${way.join(' → ')}`, () => {
      fc.assert(
        fc.property(answersOf(first, second), (given) => {
          const read = way.reduce((answer, name) => throughAnswer(name, answer), given);
          assert.deepEqual(comparableAnswer(read, ...way), comparableAnswer(given, ...way));
        }),
        RUNS,
      );
    });

    test(`a stream survives ${way.join(' → ')}`, () => {
      fc.assert(
        fc.property(answersOf(first, second), fc.integer({ min: 1, max: 7 }), (given, size) => {
          const read = way.reduce<readonly NeutralEvent[]>(
            (events, name) => throughStream(name, events),
            eventsOf(given, size),
          );
          const parts = read.flatMap((event) => (event.kind === 'part_end' ? [event.part] : []));
          const end = read.at(-1);
          assert.ok(end?.kind === 'end');
          const { stop, usage } = end;
          assert.deepEqual(
            comparableAnswer({ ...given, parts, stop, usage }, ...way),
            comparableAnswer(given, ...way),
          );
          assert.deepEqual(deltasOf(read), parts.map(wholeText));
        }),
        RUNS,
      );
    });
  }

function throughAnswer(name: DialectName, given: NeutralAnswer): NeutralAnswer {
  const dialect = DIALECTS_BY_NAME[name];
  const sent: unknown = JSON.parse(JSON.stringify(dialect.writeAnswer(given)));
  assert.ok(isObject(sent));
  return dialect.readAnswer(sent);
}

function throughStream(name: DialectName, given: readonly NeutralEvent[]): readonly NeutralEvent[] {
  const dialect = DIALECTS_BY_NAME[name];
  const terms = { model: 'm', includesUsage: true, isArray: false };
  const writer = dialect.createStreamWriter(terms);
  const bytes = given.map((event) => writer.write(event)).join('');
  const reader = dialect.createStreamReader();
  const events = parseSse(bytes).flatMap(({ event, data }) => reader.push(event, data));
  const read = [...events, ...reader.end()];
  assertGrammar(read);
  return read;
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
