// Four server processes that share one limit while Redis is healthy, wiped, killed and frozen. No span of a window's
// length ever holds more than the limit.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { mostInOneWindow, startCrowd } from '../../../../test/support/limits/limiter-crowd.ts';
import { type LimiterRig, openLimiterRig } from '../../../../test/support/limits/limiter-rig.ts';
import { until } from '../../../../test/support/stores/redis-rig.ts';
import type { Limit } from '../../../resilience/rate-limiter.ts';

let rig: LimiterRig;
before(async () => {
  rig = await openLimiterRig();
});
after(() => rig.close());

const SERVERS = 4;
const MAX = 100;
let subjects = 0;
function limitOver(windowMs: number): Limit {
  subjects += 1;
  return { tier: 'provider', subject: `crowded-${subjects}`, kind: 'requests', max: MAX, windowMs };
}

function keyOf({ subject }: Limit): string {
  return `spillway:worker:ratelimit:${subject}`;
}

test('an idle window of a minute admits exactly its limit to all processes together', async () => {
  const limit = limitOver(60_000);
  const crowd = await startCrowd(rig.url, limit, SERVERS);
  await rig.pass(1500);
  const admitted = await crowd.stop();
  assert.equal(admitted.length, MAX);
  assert.equal(await rig.outsider.zcard(keyOf(limit)), MAX);
});

test('no window holds more than the limit, and every window is used', async () => {
  const limit = limitOver(1000);
  const crowd = await startCrowd(rig.url, limit, SERVERS);
  await rig.pass(4500);
  const admitted = await crowd.stop();
  assert.ok(mostInOneWindow(admitted, limit.windowMs) <= MAX);
  assert.ok(admitted.length >= 4 * MAX, `${admitted.length} were admitted`);
});

for (const [name, disturb] of [
  ['wiped', async () => void (await rig.outsider.flushall())],
  ['killed and restarted empty', () => rig.service.restart()],
  ['away for a while and back empty', goAwayForAWhile],
  ['frozen for a while', freezeForAWhile],
] as const) {
  test(`limits hold while Redis is ${name}, and are shared again after it`, async () => {
    const limit = limitOver(1000);
    const crowd = await startCrowd(rig.url, limit, SERVERS);
    for (let round = 0; round < 2; round += 1) {
      await rig.pass(600);
      await disturb();
    }
    // By then every admission that counts is newer.
    await rig.pass(limit.windowMs);
    await until(async () => (await rig.outsider.zcard(keyOf(limit))) === MAX);
    const admitted = await crowd.stop();
    const most = mostInOneWindow(admitted, limit.windowMs);
    assert.ok(most <= MAX, `${most} were admitted within one window`);
  });
}

async function goAwayForAWhile(): Promise<void> {
  await rig.service.kill('SIGKILL');
  await delay(800);
  await rig.service.restart();
}

async function freezeForAWhile(): Promise<void> {
  await rig.service.freeze();
  await delay(800);
  await rig.service.thaw();
}
