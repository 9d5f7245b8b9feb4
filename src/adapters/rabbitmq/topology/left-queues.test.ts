import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { LeftQueues } from './left-queues.ts';

const MINUTE_MS = 60_000;

it('takes everything for gone that was published before a queue was seen empty', () => {
  const clock = createTestClock();
  const left = new LeftQueues(clock);
  const now = clock.now();
  left.note('q', now);
  assert.equal(left.hasLeft('q', now - MINUTE_MS, true), true);
  assert.equal(left.hasLeft('other', now - MINUTE_MS, true), false);
});

it('leaves a grace to what may still be on its way', () => {
  const clock = createTestClock();
  const left = new LeftQueues(clock);
  left.note('q', clock.now());
  assert.equal(left.hasLeft('q', clock.now() - 5000, true), false);
});

it('keeps the latest moment, in whatever order they are told', () => {
  const clock = createTestClock();
  const left = new LeftQueues(clock);
  left.note('q', clock.now());
  left.note('q', clock.now() - 10 * MINUTE_MS);
  assert.equal(left.hasLeft('q', clock.now() - MINUTE_MS, true), true);
});

it('takes what it knows nothing of for gone after an hour, so that it is not published over and over', () => {
  const clock = createTestClock();
  const left = new LeftQueues(clock);
  const publishedAt = clock.now();
  assert.equal(left.hasLeft('q', publishedAt - 59 * MINUTE_MS, true), false);
  assert.equal(left.hasLeft('q', publishedAt - 61 * MINUTE_MS, true), true);
});

it('takes nothing for gone while nobody consumes the queue: it waits there', () => {
  const clock = createTestClock();
  const left = new LeftQueues(clock);
  assert.equal(left.hasLeft('q', clock.now() - 600 * MINUTE_MS, false), false);
});
