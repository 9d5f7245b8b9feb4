import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { delayKey, describeLadder, dueKey, LADDER_MAX_MS, UNIT_MS } from './delay-ladder.ts';

const ladder = describeLadder('test', 'quorum');
const anyDelayMs = fc.integer({ min: 0, max: LADDER_MAX_MS });
const anyQueue = fc.stringMatching(/^[a-z01][a-z0-9.-]{0,30}$/);

it('delays a message by its delay, rounded up to the next unit', () => {
  fc.assert(
    fc.property(anyDelayMs, anyQueue, (delayMs, queue) => {
      const { waitedMs } = follow(delayKey(queue, delayMs));
      assert.ok(waitedMs >= delayMs && waitedMs < delayMs + UNIT_MS, `waited ${waitedMs}`);
    }),
  );
});

it('routes to the target queue and to no other', () => {
  fc.assert(
    fc.property(anyDelayMs, anyQueue, anyQueue, (delayMs, queue, other) => {
      const { key, exchange } = follow(delayKey(queue, delayMs));
      assert.equal(exchange, ladder.exit);
      assert.ok(matches(dueKey(queue), key));
      assert.equal(matches(dueKey(other), key), other === queue);
    }),
  );
});

it('delays by its longest delay at most, and an overdue message not at all', () => {
  assert.equal(follow(delayKey('q', LADDER_MAX_MS * 3)).waitedMs, LADDER_MAX_MS);
  assert.equal(follow(delayKey('q', -5)).waitedMs, 0);
});

it('gives each queue one delay, and none an expiry', () => {
  const times = ladder.levels.map(({ queue }) => queue.arguments['x-message-ttl']);
  assert.equal(new Set(times).size, ladder.levels.length);
  for (const { queue } of ladder.levels) assert.ok(!('x-expires' in queue.arguments));
});

/** Follows the bindings: the target queue and the sum of the delays on the route. */
function follow(key: string): { key: string; exchange: string; waitedMs: number } {
  let exchange = ladder.entry;
  let waitedMs = 0;
  for (const level of ladder.levels.toReversed()) {
    assert.equal(exchange, level.exchange);
    const waits = matches(level.waitKey, key);
    assert.notEqual(
      waits,
      matches(level.passKey, key),
      'exactly one binding matches on each level',
    );
    if (waits) waitedMs += Number(level.queue.arguments['x-message-ttl']);
    exchange = level.below;
  }
  return { key, exchange, waitedMs };
}

/** Matches as a topic exchange does: `*` is one word, a final `#` is the rest. */
function matches(pattern: string, key: string): boolean {
  const words = key.split('.');
  const wanted = pattern.split('.');
  if (wanted.at(-1) === '#') wanted.pop();
  else if (wanted.length !== words.length) return false;
  return wanted.every((word, index) => word === '*' || word === words[index]);
}
