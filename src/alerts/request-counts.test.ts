import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NO_REQUESTS, percentile, type RequestTotals, RequestWindow } from './request-counts.ts';
import { requestFigures } from './request-figures.ts';

const BOUNDS = [1, 10, 30];
const RULES = { countWindowMs: 60_000, minRequests: 5, ignoredCodes: ['INVALID_REQUEST'] };

function totals(requests: number, fields: Partial<RequestTotals> = {}): RequestTotals {
  return { ...NO_REQUESTS, latencyBounds: BOUNDS, requests, ...fields };
}

test('a window has the growth of every source within it, each once', () => {
  const step = fc.record({ afterMs: fc.nat(5000), own: fc.nat(9), other: fc.nat(9) });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 50 }),
      fc.integer({ min: 1, max: 20_000 }),
      (steps, ms) => {
        const window = new RequestWindow(20_000);
        const seen: { at: number; count: number }[] = [];
        let [now, own, other] = [1_000_000, 0, 0];
        for (const each of steps) {
          now += each.afterMs;
          own += each.own;
          other += each.other;
          seen.push({ at: now, count: each.own + each.other });
          window.add(
            [
              { key: 'own', at: now, totals: totals(own) },
              { key: 'other', at: now, totals: totals(other) },
            ],
            now,
          );
        }
        const expected = seen
          .filter(({ at }) => at > now - ms)
          .reduce((sum, { count }) => sum + count, 0);
        assert.equal(window.within(ms, now).requests, expected);
      },
    ),
  );
});

test('totals that have shrunk count as a new process', () => {
  const window = new RequestWindow(60_000);
  window.add([{ key: 'own', at: 1, totals: totals(100) }], 1);
  window.add([{ key: 'own', at: 2, totals: totals(3) }], 2);
  assert.equal(window.within(60_000, 2).requests, 103);
});

test('the 99th percentile lies within its bucket, and beyond the last bound', () => {
  const latencies = [98, 0, 2, 0];
  const p99 = percentile({ latencies, latencyBounds: BOUNDS }, 0.99) ?? 0;
  assert.ok(p99 > 10 && p99 <= 30);
  assert.ok((percentile({ latencies: [0, 0, 0, 5], latencyBounds: BOUNDS }, 0.99) ?? 0) > 30);
  assert.equal(percentile({ latencies: [0, 0, 0, 0], latencyBounds: BOUNDS }, 0.99), undefined);
});

test('callers’ mistakes are no errors, and a few requests have no rate', () => {
  const errors = { INVALID_REQUEST: 4, PROVIDER_UNAVAILABLE: 1 };
  const of = (requests: number) =>
    new Map(requestFigures(totals(requests, { errors }), totals(requests, { errors }), RULES));
  assert.deepEqual(of(10).get('error-rate'), [{ value: 0.1 }]);
  assert.deepEqual(of(10).get('error-count'), [{ value: 1 }]);
  assert.deepEqual(of(4).get('error-rate'), [{ value: 0 }]);
});
