import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { delayKey, describeLadder, dueKey, LADDER_MAX_MS, UNIT_MS } from './delay-ladder.ts';

const ladder = describeLadder('test', 'quorum');
const anyDelayMs = fc.integer({ min: 0, max: LADDER_MAX_MS });
const anyQueue = fc.stringMatching(/^[a-z01][a-z0-9.-]{0,30}$/);

it('holds a message as long as it should wait, and less than a unit longer', () => {
  fc.assert(
    fc.property(anyDelayMs, anyQueue, (delayMs, queue) => {
      const { waitedMs } = follow(delayKey(queue, delayMs));
      assert.ok(waitedMs >= delayMs && waitedMs < delayMs + UNIT_MS, `waited ${waitedMs}`);
    }),
  );
});

it('leads to the queue that the message is for, and to no other', () => {
  fc.assert(
    fc.property(anyDelayMs, anyQueue, anyQueue, (delayMs, queue, other) => {
      const { key, exchange } = follow(delayKey(queue, delayMs));
      assert.equal(exchange, ladder.exit);
      assert.ok(matches(dueKey(queue), key));
      assert.equal(matches(dueKey(other), key), other === queue);
    }),
  );
});

it('holds what is longer than itself as long as it can, and what is overdue not at all', () => {
  assert.equal(follow(delayKey('q', LADDER_MAX_MS * 3)).waitedMs, LADDER_MAX_MS);
  assert.equal(follow(delayKey('q', -5)).waitedMs, 0);
});

it('has one time for each queue, and no queue that could expire with its messages', () => {
  const times = ladder.levels.map(({ queue }) => queue.arguments['x-message-ttl']);
  assert.equal(new Set(times).size, ladder.levels.length);
  for (const { queue } of ladder.levels) assert.ok(!('x-expires' in queue.arguments));
});

/** Where the bindings lead a message, and how long the queues on the way hold it. */
function follow(key: string): { key: string; exchange: string; waitedMs: number } {
  let exchange = ladder.entry;
  let waitedMs = 0;
  for (const level of ladder.levels.toReversed()) {
    assert.equal(exchange, level.exchange);
    const waits = matches(level.waitKey, key);
    assert.notEqual(waits, matches(level.passKey, key), 'one way on each level');
    if (waits) waitedMs += Number(level.queue.arguments['x-message-ttl']);
    exchange = level.below;
  }
  return { key, exchange, waitedMs };
}

/** As a topic exchange does: `*` is one word, `#` at the end is the rest. */
function matches(pattern: string, key: string): boolean {
  const words = key.split('.');
  const wanted = pattern.split('.');
  if (wanted.at(-1) === '#') wanted.pop();
  else if (wanted.length !== words.length) return false;
  return wanted.every((word, index) => word === '*' || word === words[index]);
}
