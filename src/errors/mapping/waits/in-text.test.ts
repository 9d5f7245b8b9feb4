import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPhrases } from '../text/find-phrases.ts';
import { waitInText } from './in-text.ts';

// 1 March 2026, noon in UTC, a Sunday.
const now = Date.UTC(2026, 2, 1, 12);

function waitIn(text: string, timeZone?: string) {
  return waitInText(
    text,
    findPhrases(text).waitEnds,
    {},
    { now, ...(timeZone ? { timeZone } : {}) },
  );
}

test('durations are read after words that introduce a wait', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['Please try again in 1m26.4s. Visit the docs', 86_400],
    ['Please retry after 30 seconds', 30_000],
    ['Your quota will reset after 8h44m7s.', 31_447_000],
    ['please try again after 1 seconds', 1_000],
    ['available in 42 minutes', 2_520_000],
    ['Expected available in 41 seconds.', 41_000],
    ['please wait one minute and try again', 60_000],
    ['resets in 3h 20m', 12_000_000],
    ['Try again in ~15 minutes', 900_000],
    ['try again in approximately 10 seconds', 10_000],
    ['try again in 5 days 22 hours 11\n   minutes', 511_860_000],
    ['Too many requests (retry-after: 12)', 12_000],
    ['retry_after=7.5', 7_500],
    ['请在 30 秒后重试', 30_000],
  ];
  for (const [text, ms] of cases) assert.equal(waitIn(text).retryAfterMs, ms, text);
});

test("a client's back-off, elapsed time and other numbers are not waits", () => {
  for (const text of [
    'Retrying in 35 seconds… (attempt 8/10)',
    'timed out after 30012 milliseconds',
    'waited 20 seconds, retried 4 times in 12 s',
    'Limit 30000, Used 30000, Requested 1800',
    'try again later',
  ]) {
    const { retryAfterMs, resetAt } = waitIn(text, 'UTC');
    assert.deepEqual([retryAfterMs, resetAt], [undefined, undefined], text);
  }
});

test('instants are read as epochs, with zones, and in everyday notation', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['usage limit reached|1754636400', 1_754_636_400_000],
    ['reset at 1772380800', 1_772_380_800_000],
    ['You will regain access on 2026-04-01 at 00:00 UTC.', Date.UTC(2026, 3, 1)],
    ['resets at 2026-03-06T22:19:54+08:00', Date.UTC(2026, 2, 6, 14, 19, 54)],
    ['resets 3pm (America/New_York)', Date.UTC(2026, 2, 1, 20)],
    ['resets 11:30am (UTC)', Date.UTC(2026, 2, 2, 11, 30)],
    ['resets at 12am', Date.UTC(2026, 2, 2)],
    ['resets at 12pm', Date.UTC(2026, 2, 1, 12)],
    ['resets at 23:00 (Asia/Taipei)', Date.UTC(2026, 2, 1, 15)],
    ['resets Mar 4, 5pm (Asia/Tokyo)', Date.UTC(2026, 2, 4, 8)],
    ['resets on March 15 at 09:00 UTC', Date.UTC(2026, 2, 15, 9)],
    ['resets 15 March 2026, 09:00', Date.UTC(2026, 2, 15, 9)],
    ['resets Thursday at 12am', Date.UTC(2026, 2, 5)],
    ['resets Sunday 11am', Date.UTC(2026, 2, 8, 11)],
    ['resets tomorrow at 9am', Date.UTC(2026, 2, 2, 9)],
    ['try again at Mar 5th, 2026 3:07 PM.', Date.UTC(2026, 2, 5, 15, 7)],
    ['try again after 11:34 AM', Date.UTC(2026, 2, 2, 11, 34)],
    ['will reset at 2026-03-06 22:19:54', Date.UTC(2026, 2, 6, 22, 19, 54)],
    ['将在 2026-03-06 22:19:54 重置', Date.UTC(2026, 2, 6, 22, 19, 54)],
    ['resets Jan 2', Date.UTC(2027, 0, 2)],
  ];
  for (const [text, instant] of cases) assert.equal(waitIn(text, 'UTC').resetAt, instant, text);
});

test('a clock time without a zone yields no instant unless the context names a zone', () => {
  assert.equal(waitIn('resets 3pm').resetAt, undefined);
  assert.equal(waitIn('resets 3pm', 'Asia/Tokyo').resetAt, Date.UTC(2026, 2, 2, 6));
  assert.equal(waitIn('resets 3pm (Mars/Olympus)').resetAt, undefined);
});

test('a clock time inside a daylight-saving gap moves behind the gap', () => {
  const statedAt = { now: Date.UTC(2026, 2, 28, 23) };
  const text = 'resets 2:30am (Europe/Berlin)';
  const { resetAt } = waitInText(text, findPhrases(text).waitEnds, {}, statedAt);
  assert.equal(resetAt, Date.UTC(2026, 2, 29, 1, 30));
});

test('text is not searched for a value that headers or fields already state', () => {
  const text = 'try again in 20s, resets 3pm (UTC)';
  const known = { retryAfterMs: 1 };
  assert.deepEqual(waitInText(text, findPhrases(text).waitEnds, known, { now }), {
    retryAfterMs: 1,
    resetAt: Date.UTC(2026, 2, 1, 15),
  });
});
