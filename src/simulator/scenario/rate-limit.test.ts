import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { mostWithin } from './peak-window.ts';
import { SlidingWindow } from './rate-limit.ts';

const arrivals = fc.array(
  fc.record({ afterMs: fc.nat(20_000), tokens: fc.integer({ min: 1, max: 50 }) }),
  { maxLength: 200 },
);

test('no window of one minute admits more requests or tokens than the limit', () => {
  fc.assert(
    fc.property(arrivals, (list) => {
      const window = new SlidingWindow({
        requestsPerMinute: 10,
        tokensPerMinute: 200,
        windowMs: 60_000,
      });
      const admitted: { at: number; tokens: number }[] = [];
      let now = 0;
      for (const { afterMs, tokens } of list) {
        now += afterMs;
        if (window.admit(now, tokens).isAdmitted) admitted.push({ at: now, tokens });
      }
      for (const { at } of admitted) {
        const inWindow = admitted.filter((other) => other.at > at - 60_000 && other.at <= at);
        assert.ok(inWindow.length <= 10);
        assert.ok(inWindow.reduce((sum, { tokens }) => sum + tokens, 0) <= 200);
      }
    }),
  );
});

test('a refused request is admitted at the stated time and not a millisecond earlier', () => {
  fc.assert(
    fc.property(arrivals, (list) => {
      const limit = { requestsPerMinute: 5, tokensPerMinute: 100, windowMs: 60_000 };
      const window = new SlidingWindow(limit);
      let now = 0;
      for (const { afterMs, tokens } of list) {
        now += afterMs;
        const admission = window.admit(now, tokens);
        if (admission.isAdmitted) continue;
        assert.ok(admission.retryAt > now);
        assert.equal(window.admit(admission.retryAt - 1, tokens).isAdmitted, false);
        assert.equal(window.admit(admission.retryAt, tokens).isAdmitted, true);
        return;
      }
    }),
  );
});

test('the state reports the remainder and the time at which the window is empty', () => {
  const window = new SlidingWindow({ requestsPerMinute: 3, windowMs: 60_000 });
  window.admit(1_000, 10);
  const { state } = window.admit(2_000, 10);
  assert.deepEqual(state, {
    requests: { limit: 3, remaining: 1, resetAt: 62_000 },
    tokens: undefined,
  });
});

test('the peak is the highest number of arrivals in any window', () => {
  assert.equal(mostWithin([], 10), 0);
  assert.equal(mostWithin([0, 5, 9, 10, 15], 10), 3);
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { maxLength: 300 }),
      fc.integer({ min: 1, max: 200 }),
      (gaps, windowMs) => {
        let now = 0;
        const times = gaps.map((gap) => (now += gap));
        const naive = times.map(
          (end) => times.filter((time) => time > end - windowMs && time <= end).length,
        );
        // Simultaneous arrivals are counted one by one, so the last of them sees the whole window.
        assert.equal(mostWithin(times, windowMs), Math.max(0, ...naive));
      },
    ),
  );
});
