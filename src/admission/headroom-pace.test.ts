import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HeadroomGauge } from './headroom-headers.ts';
import { HeadroomPace } from './headroom-pace.ts';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;

function gauge(remaining: number, resetAt: number | undefined, limit = 1000): HeadroomGauge {
  return { limit, remaining, resetAt };
}

test('without readings there is no delay and no forecast', () => {
  const pace = new HeadroomPace();
  assert.equal(pace.slowDownMs(1000, NOW), 0);
  assert.equal(pace.exhaustedAt(), undefined);
  assert.equal(pace.remainingRatio(NOW), 1);
});

test('a steady rate gives the time of exhaustion', () => {
  const pace = new HeadroomPace();
  const resetAt = NOW + 10 * MINUTE_MS;
  for (let second = 0; second <= 120; second += 1)
    pace.take({ requests: gauge(1000 - 4 * second, resetAt) }, NOW + 1000 * second);
  const at = pace.exhaustedAt() ?? 0;
  const expected = NOW + 250_000;
  assert.ok(Math.abs(at - expected) < 5000, `${at - NOW} ms`);
});

test('there is no forecast if the reset comes before exhaustion', () => {
  const pace = new HeadroomPace();
  for (let second = 0; second <= 30; second += 1)
    pace.take({ requests: gauge(1000 - 4 * second, NOW + MINUTE_MS) }, NOW + 1000 * second);
  assert.equal(pace.exhaustedAt(), undefined);
});

test('a reset keeps the rate', () => {
  const pace = new HeadroomPace();
  const resetAt = NOW + 10 * MINUTE_MS;
  for (let second = 0; second <= 100; second += 1)
    pace.take({ requests: gauge(1000 - 9 * second, resetAt) }, NOW + 1000 * second);
  const before = (pace.exhaustedAt() ?? 0) - pace.readAt;
  pace.take({ requests: gauge(1000, resetAt) }, NOW + 101_000);
  const after = (pace.exhaustedAt() ?? 0) - pace.readAt;
  assert.ok(after > before && Number.isFinite(after));
});

test('calls are delayed only below a twentieth of the limit, and only before the reset', () => {
  const pace = new HeadroomPace();
  pace.take({ requests: gauge(50, NOW + MINUTE_MS) }, NOW);
  assert.deepEqual([pace.slowDownMs(1, NOW), pace.slowDownMs(1, NOW)], [0, 0]);
  pace.take({ requests: gauge(49, NOW + MINUTE_MS) }, NOW);
  assert.deepEqual([pace.slowDownMs(1, NOW), pace.slowDownMs(1, NOW) > 1000], [0, true]);
  assert.equal(pace.slowDownMs(1, NOW + MINUTE_MS), 0);
});

test('the remaining calls are spread over the time until the reset', () => {
  const pace = new HeadroomPace();
  pace.take({ requests: gauge(30, NOW + MINUTE_MS) }, NOW);
  const waits = Array.from({ length: 30 }, () => pace.slowDownMs(1, NOW));
  assert.deepEqual(waits.slice(0, 3), [0, 2000, 4000]);
  assert.equal(waits.at(-1), 58_000);
});

test('a call with many tokens delays the next one in proportion', () => {
  const pace = new HeadroomPace();
  pace.take({ tokens: gauge(1000, NOW + MINUTE_MS, 100_000) }, NOW);
  assert.equal(pace.slowDownMs(100, NOW), 0);
  assert.equal(pace.slowDownMs(10, NOW), 6000);
  assert.equal(pace.slowDownMs(10, NOW), 6600);
});

test('the scarcest dimension decides the delay', () => {
  const pace = new HeadroomPace();
  pace.take({ requests: gauge(1, NOW + MINUTE_MS), tokens: gauge(900, NOW + MINUTE_MS) }, NOW);
  pace.slowDownMs(10, NOW);
  assert.equal(pace.slowDownMs(10, NOW), MINUTE_MS);
  assert.equal(pace.remainingRatio(NOW), 0.001);
});

test('calls of an organisation delay the calls of another only by its share', () => {
  const pace = new HeadroomPace();
  pace.take({ requests: gauge(30, NOW + MINUTE_MS) }, NOW);
  for (let call = 0; call < 1000; call += 1) pace.slowDownMs(1, NOW, 'hostile');
  const waits = Array.from({ length: 3 }, () => pace.slowDownMs(1, NOW, 'other'));
  assert.deepEqual(waits, [0, 4000, 8000]);
});

test('the number of queues is bounded', () => {
  const pace = new HeadroomPace();
  pace.take({ requests: gauge(30, NOW + MINUTE_MS) }, NOW);
  for (let call = 0; call < 10_000; call += 1) pace.slowDownMs(1, NOW, `org-${call}`);
  assert.equal(pace.slowDownMs(1, NOW, 'new'), 0);
});

test('no delay extends past the reset', () => {
  const calls = fc.array(fc.tuple(fc.nat(5000), fc.nat(20_000)), { maxLength: 50 });
  fc.assert(
    fc.property(calls, fc.nat(49), fc.nat(MINUTE_MS), (steps, remaining, resetMs) => {
      const pace = new HeadroomPace();
      pace.take(
        { requests: gauge(remaining, NOW + resetMs), tokens: gauge(0, NOW + resetMs) },
        NOW,
      );
      let now = NOW;
      for (const [waitMs, tokens] of steps) {
        now += waitMs;
        const slowMs = pace.slowDownMs(tokens, now);
        assert.ok(slowMs >= 0 && slowMs <= Math.max(0, NOW + resetMs - now));
      }
    }),
  );
});
