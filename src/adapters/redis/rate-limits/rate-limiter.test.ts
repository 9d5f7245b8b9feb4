// The rate limiter on a private Redis.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rateLimiterContract } from '../../../../test/contract/rate-limiter.ts';
import {
  type LimiterRig,
  type LimiterServer,
  openLimiterRig,
} from '../../../../test/support/limits/limiter-rig.ts';
import type { Limit, PermitAsk, PermitDecision } from '../../../resilience/rate-limiter.ts';

let rig: LimiterRig;
before(async () => {
  rig = await openLimiterRig();
});
after(() => rig.close());

rateLimiterContract('Redis', () => rig.openLimiter());

const MINUTE_MS = 60_000;
let subjects = 0;
function limitOf(fields: Partial<Limit> = {}): Limit {
  subjects += 1;
  const subject = `own-${subjects}`;
  return {
    tier: 'organization',
    subject,
    kind: 'requests',
    max: 10,
    windowMs: MINUTE_MS,
    ...fields,
  };
}

let asks = 0;
function askFor(limits: readonly Limit[], fields: Partial<PermitAsk> = {}): PermitAsk {
  asks += 1;
  return { id: `permit-${asks}`, limits, tokens: 5, expiresMs: MINUTE_MS, ...fields };
}

function decide({ limiter }: LimiterServer, ask: PermitAsk): Promise<PermitDecision> {
  return new Promise((resolve) => limiter.take(ask, resolve));
}

async function scriptCalls(): Promise<number> {
  const stats = await rig.outsider.info('commandstats');
  const counts = stats.matchAll(/cmdstat_eval\w*:calls=(\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('rate limits in Redis', () => {
  test('a record has one member for each admitted request, and a time to live', async () => {
    const server = await rig.openLimiter();
    const limit = limitOf({ max: 4 });
    const permits = Array.from({ length: 6 }, () => askFor([limit]));
    const decisions = await Promise.all(permits.map((ask) => decide(server, ask)));
    const key = `spillway:ratelimit:org:${limit.subject}`;
    const admitted = permits.filter((_, index) => decisions[index]?.isAllowed);
    assert.deepEqual(
      await rig.outsider.zrange(key, '0', '-1'),
      admitted.map(({ id }) => id).toSorted(),
    );
    assert.equal(await rig.outsider.zcard(key), 4);
    const lives = await rig.outsider.pttl(key);
    assert.ok(lives > 110_000 && lives <= 120_000, `it lives for ${lives} ms`);
    await server.close();
  });

  test('a window longer than the time to live is kept for its length', async () => {
    const server = await rig.openLimiter();
    const limit = limitOf({ windowMs: 10 * MINUTE_MS });
    await decide(server, askFor([limit]));
    const key = `spillway:ratelimit:org:${limit.subject}`;
    assert.ok((await rig.outsider.pttl(key)) > 9 * MINUTE_MS);
    await server.close();
  });

  test('slots outlive the time to live when their permits do', async () => {
    const server = await rig.openLimiter();
    const limit = limitOf({ kind: 'concurrent' });
    await decide(server, askFor([limit], { expiresMs: 10 * MINUTE_MS }));
    await decide(server, askFor([limit], { expiresMs: 1000 }));
    const key = `spillway:ratelimit:org:${limit.subject}:concurrent`;
    assert.ok((await rig.outsider.pttl(key)) > 9 * MINUTE_MS);
    await server.close();
  });

  test('many asks of one turn of the event loop take few round trips', async () => {
    const server = await rig.openLimiter();
    const limits = [limitOf({ max: 1000 }), limitOf({ tier: 'provider', max: 1000 })];
    const before = await scriptCalls();
    await Promise.all(Array.from({ length: 400 }, () => decide(server, askFor(limits))));
    assert.ok((await scriptCalls()) - before <= 8);
    await server.close();
  });

  test('the end of a call that only took requests costs no round trip', async () => {
    const server = await rig.openLimiter();
    const permit = askFor([limitOf()]);
    await decide(server, permit);
    await server.limiter.look([]);
    const before = await scriptCalls();
    server.limiter.settle(permit, 5);
    const other = askFor([limitOf({ kind: 'concurrent' })]);
    await decide(server, other);
    assert.ok((await scriptCalls()) - before <= 2, 'its own, and a beat at most');
    await server.close();
  });

  test('servers share a count: a permit that one gives back or settles is free for the others', async () => {
    const [first, second] = [await rig.openLimiter(), await rig.openLimiter()];
    const limits = [limitOf({ kind: 'tokens', max: 10 }), limitOf({ kind: 'concurrent', max: 1 })];
    const permit = askFor(limits, { tokens: 10 });
    assert.ok((await decide(first, permit)).isAllowed);
    assert.ok(!(await decide(second, askFor(limits))).isAllowed);
    first.limiter.settle(permit, 3);
    await first.limiter.look([]);
    assert.ok((await decide(second, askFor(limits, { tokens: 7 }))).isAllowed);
    await Promise.all([first.close(), second.close()]);
  });
});
