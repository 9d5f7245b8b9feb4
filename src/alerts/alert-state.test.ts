import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  type AlertPace,
  type AlertRule,
  type AlertState,
  judge,
  OK,
  stepAlert,
} from './alert-state.ts';

const RULE: AlertRule = { threshold: 10, clearValue: 9, firesWhen: 'above' };
const PACE: AlertPace = { startAfter: 2, endAfter: 3, minFiringMs: 60_000 };
const STEP_MS = 10_000;

type Transition = { readonly event: string; readonly index: number };

function run(values: readonly number[], pace = PACE, rule = RULE): readonly Transition[] {
  let state: AlertState = OK;
  const events: Transition[] = [];
  for (const [index, value] of values.entries()) {
    const step = stepAlert(state, judge(rule, value), pace, index * STEP_MS);
    state = step.state;
    if (step.event) events.push({ event: step.event, index });
  }
  return events;
}

const paces = fc.record({
  startAfter: fc.integer({ min: 1, max: 5 }),
  endAfter: fc.integer({ min: 1, max: 5 }),
  minFiringMs: fc.integer({ min: 0, max: 10 }).map((steps) => steps * STEP_MS),
});
const series = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 });

test('starts and ends alternate, a start first', () => {
  fc.assert(
    fc.property(series, paces, (values, pace) => {
      const events = run(values, pace).map(({ event }) => event);
      for (const [index, event] of events.entries())
        assert.equal(event, index % 2 === 0 ? 'started' : 'ended');
    }),
  );
});

test('a start follows the required evaluations in a row beyond the threshold', () => {
  fc.assert(
    fc.property(series, paces, (values, pace) => {
      for (const { event, index } of run(values, pace)) {
        if (event !== 'started') continue;
        const before = values.slice(index - pace.startAfter + 1, index + 1);
        assert.equal(before.length, pace.startAfter);
        assert.ok(before.every((value) => value > RULE.threshold));
      }
    }),
  );
});

test('an alert ends after its minimum duration and the required clear evaluations in a row', () => {
  fc.assert(
    fc.property(series, paces, (values, pace) => {
      let startedAt = 0;
      for (const { event, index } of run(values, pace)) {
        if (event === 'started') startedAt = index;
        else {
          assert.ok((index - startedAt) * STEP_MS >= pace.minFiringMs);
          const last = values.findLastIndex((value, at) => at <= index && value > RULE.threshold);
          const clear = values.slice(last + 1, index + 1).filter((value) => value <= 9);
          assert.ok(clear.length >= pace.endAfter);
          assert.ok((values[index] ?? 99) <= RULE.clearValue);
        }
      }
    }),
  );
});

test('a value that swings around the threshold starts one alert and does not end it', () => {
  const swinging = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 11 : 10));
  assert.deepEqual(run([11, 11, ...swinging]), [{ event: 'started', index: 1 }]);
});

test('a single value beyond the threshold starts nothing', () => {
  assert.deepEqual(run([11, 0, 11, 0, 11, 0]), []);
});

test('an alert fires for its minimum duration although its value is clear', () => {
  const events = run([11, 11, ...Array.from({ length: 10 }, () => 0)]);
  assert.deepEqual(events, [
    { event: 'started', index: 1 },
    { event: 'ended', index: 7 },
  ]);
});

test('a rule with firesWhen below starts an alert below its threshold', () => {
  const rule: AlertRule = { threshold: 1, clearValue: 1, firesWhen: 'below' };
  const pace = { startAfter: 1, endAfter: 1, minFiringMs: 0 };
  assert.deepEqual(
    run([1, 0, 2], pace, rule).map(({ event }) => event),
    ['started', 'ended'],
  );
});
