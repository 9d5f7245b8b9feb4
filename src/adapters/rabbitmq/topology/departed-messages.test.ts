import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { DepartedMessages } from './departed-messages.ts';

const MINUTE_MS = 60_000;

it('counts every message published before a queue was seen empty as departed', () => {
  const clock = createTestClock();
  const left = new DepartedMessages(clock);
  const now = clock.now();
  left.note('q', now);
  assert.equal(left.hasLeft('q', now - MINUTE_MS, true), true);
  assert.equal(left.hasLeft('other', now - MINUTE_MS, true), false);
});

it('leaves a grace period for messages in flight', () => {
  const clock = createTestClock();
  const left = new DepartedMessages(clock);
  left.note('q', clock.now());
  assert.equal(left.hasLeft('q', clock.now() - 5000, true), false);
});

it('keeps the latest timestamp, in any order of notes', () => {
  const clock = createTestClock();
  const left = new DepartedMessages(clock);
  left.note('q', clock.now());
  left.note('q', clock.now() - 10 * MINUTE_MS);
  assert.equal(left.hasLeft('q', clock.now() - MINUTE_MS, true), true);
});

it('counts a message of unknown state as departed after an hour', () => {
  const clock = createTestClock();
  const left = new DepartedMessages(clock);
  const publishedAt = clock.now();
  assert.equal(left.hasLeft('q', publishedAt - 59 * MINUTE_MS, true), false);
  assert.equal(left.hasLeft('q', publishedAt - 61 * MINUTE_MS, true), true);
});

it('counts nothing as departed while the queue has no consumer', () => {
  const clock = createTestClock();
  const left = new DepartedMessages(clock);
  assert.equal(left.hasLeft('q', clock.now() - 600 * MINUTE_MS, false), false);
});
