// Servers while their Redis is killed, restarted empty or wiped: the safe share of each, the reports when Redis answers
// again, and the log.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  type LimiterRig,
  type LimiterServer,
  openLimiterRig,
} from '../../../../test/support/limits/limiter-rig.ts';
import { until } from '../../../../test/support/stores/redis-rig.ts';
import type { Limit, PermitAsk, PermitDecision } from '../../../resilience/rate-limiter.ts';

let rig: LimiterRig;
before(async () => {
  rig = await openLimiterRig();
});
after(() => rig.close());

let servers: readonly LimiterServer[] = [];
beforeEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
  // A test that failed may have left Redis stopped.
  if (rig.outsider.status !== 'ready') await rig.service.restart();
  await rig.outsider.flushall();
});

async function openServers(count: number): Promise<readonly LimiterServer[]> {
  servers = await Promise.all(Array.from({ length: count }, () => rig.openLimiter()));
  // An answer after the last server has joined lists all of them.
  await Promise.all(servers.map(({ limiter }) => limiter.look([])));
  return servers;
}

let subjects = 0;
function limitOf(max: number, fields: Partial<Limit> = {}): Limit {
  subjects += 1;
  const subject = `away-${subjects}`;
  return { tier: 'organization', subject, kind: 'requests', max, windowMs: 60_000, ...fields };
}
const keyOf = ({ subject }: Limit) => `spillway:ratelimit:org:${subject}`;

let asks = 0;
function askFor(limits: readonly Limit[], fields: Partial<PermitAsk> = {}): PermitAsk {
  asks += 1;
  return { id: `permit-${asks}`, limits, tokens: 1, expiresMs: 60_000, ...fields };
}

function decide({ limiter }: LimiterServer, ask: PermitAsk): Promise<PermitDecision> {
  return new Promise((resolve) => limiter.take(ask, resolve));
}

/** How many of `count` asks are admitted. */
async function admittedOf(server: LimiterServer, limit: Limit, count: number): Promise<number> {
  const all = Array.from({ length: count }, () => decide(server, askFor([limit])));
  return (await Promise.all(all)).filter(({ isAllowed }) => isAllowed).length;
}

function valueOf({ metrics }: LimiterServer, name: string): number | undefined {
  for (const metric of metrics.collect())
    if (metric.name === name && metric.kind !== 'histogram') return metric.cell().value;
  return undefined;
}

const isShared = (server: LimiterServer) => valueOf(server, 'ratelimit.shared') === 1;

async function goAway(): Promise<void> {
  await rig.service.kill('SIGKILL');
  await until(() => servers.every(({ link }) => !link.isUp()));
}

async function comeBack(): Promise<void> {
  await rig.service.restart();
  await until(() => servers.every(isShared));
}

test('each server admits its safe share of the remainder', async () => {
  const [first, second] = await openServers(2);
  assert.ok(first && second);
  const [used, fresh] = [limitOf(100), limitOf(100)];
  assert.equal(await admittedOf(first, used, 50), 50);
  await second.limiter.look([used]);
  await goAway();
  assert.equal(await admittedOf(first, used, 60), 20);
  assert.equal(await admittedOf(second, used, 60), 20);
  assert.equal(await admittedOf(first, fresh, 60), 40);
  assert.equal(await admittedOf(second, fresh, 60), 40);
  await comeBack();
});

test('local admissions are reported before the next ask, and count once', async () => {
  const [first, second] = await openServers(2);
  assert.ok(first && second);
  const limit = limitOf(100);
  assert.equal(await admittedOf(first, limit, 30), 30);
  await second.limiter.look([limit]);
  await goAway();
  assert.equal(await admittedOf(first, limit, 100), 28);
  assert.equal(await admittedOf(second, limit, 100), 28);
  await comeBack();
  await until(async () => (await rig.outsider.zcard(keyOf(limit))) === 86);
  await until(async () => (await rig.outsider.zcard('spillway:ratelimit:awaited')) === 0);
  assert.equal(await admittedOf(second, limit, 100), 14);
  assert.equal(await rig.outsider.zcard(keyOf(limit)), 100);
});

test('a server that rejoins observes the limits that it decided about', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  const limit = limitOf(100);
  await goAway();
  assert.equal(await admittedOf(server, limit, 5), 5);
  await comeBack();
  // This answer follows the answer to the rejoining call.
  await server.limiter.look([]);
  await goAway();
  // 0.8 × (100 - 5). Without the observation the five would be part of a share of 80.
  assert.equal(await admittedOf(server, limit, 100), 76);
  await comeBack();
});

test('background work pauses while Redis is unavailable', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  await goAway();
  await admittedOf(server, limitOf(10), 1);
  const decision = await decide(server, askFor([limitOf(10)], { isBackground: true }));
  assert.ok(!decision.isAllowed);
  assert.equal(decision.binding, undefined);
  assert.equal(decision.retryAfterMs, 1000);
  await comeBack();
  const later = await decide(server, askFor([limitOf(10)], { isBackground: true }));
  assert.ok(later.isAllowed);
});

test('each change of state is logged once, however many asks it affects', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  assert.deepEqual(server.log, []);
  await goAway();
  await admittedOf(server, limitOf(1000), 500);
  assert.equal(server.log.length, 1);
  assert.ok(!isShared(server));
  assert.equal(valueOf(server, 'ratelimit.local_decisions'), 500);
  await comeBack();
  assert.deepEqual(
    server.log.map(({ level }) => level),
    ['warn', 'info'],
  );
});

test('a wiped Redis does not admit a second burst, whichever server asks first', async () => {
  const [first, second, third] = await openServers(3);
  assert.ok(first && second && third);
  const limit = limitOf(90);
  assert.equal(await admittedOf(first, limit, 60), 60);
  assert.equal(await admittedOf(second, limit, 60), 30);
  await third.limiter.look([limit]);
  await rig.outsider.flushall();
  for (const server of [third, second, first]) assert.equal(await admittedOf(server, limit, 90), 0);
  await until(async () => (await rig.outsider.zcard('spillway:ratelimit:awaited')) === 0);
  await until(() => servers.every(isShared));
  assert.equal(await rig.outsider.zcard(keyOf(limit)), 90);
});

test('admissions of a server that left still count in a wiped Redis', async () => {
  const [first, second] = await openServers(2);
  assert.ok(first && second);
  const limits = [
    limitOf(50),
    limitOf(50, { kind: 'tokens' }),
    limitOf(50, { kind: 'tokens_per_day' }),
  ];
  for (let count = 0; count < 40; count += 1) await decide(first, askFor(limits));
  for (let count = 0; count < 5; count += 1) await decide(second, askFor(limits));
  await second.limiter.look(limits);
  await first.close();
  await second.limiter.look([]);
  await rig.outsider.flushall();
  await admittedOf(second, limitOf(1), 1);
  await until(() => isShared(second));
  const remaining = (await second.limiter.look(limits)).map((standing) => standing.remaining);
  assert.deepEqual(remaining, [5, 5, 5]);
});

test('a slot taken before Redis was wiped is free when its call ends', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  const limit = limitOf(1, { kind: 'concurrent' });
  const permit = askFor([limit]);
  assert.ok((await decide(server, permit)).isAllowed);
  await rig.outsider.flushall();
  await admittedOf(server, limitOf(1), 1);
  await until(() => isShared(server));
  assert.ok(!(await decide(server, askFor([limit]))).isAllowed);
  server.limiter.settle(permit, 1);
  assert.ok((await decide(server, askFor([limit]))).isAllowed);
});

test('calls that end while Redis is unavailable leave the tokens they used, and no slot', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  const limits = [limitOf(100, { kind: 'tokens' }), limitOf(2, { kind: 'concurrent' })];
  const permits = [askFor(limits, { tokens: 40 }), askFor(limits, { tokens: 30 })] as const;
  for (const permit of permits) assert.ok((await decide(server, permit)).isAllowed);
  await rig.service.freeze();
  await decide(server, askFor([limitOf(1)]));
  server.limiter.settle(permits[0], 10);
  server.limiter.giveBack(permits[1]);
  await rig.service.thaw();
  await until(() => isShared(server));
  const remaining = (await server.limiter.look(limits)).map((standing) => standing.remaining);
  assert.deepEqual(remaining, [90, 2]);
});

test('asks that a frozen Redis did not answer are decided locally, and count once when it resumes', async () => {
  const [server] = await openServers(1);
  assert.ok(server);
  const limit = limitOf(10);
  await server.limiter.look([limit]);
  await rig.service.freeze();
  assert.equal(await admittedOf(server, limit, 20), 8);
  await rig.service.thaw();
  await until(() => isShared(server));
  await server.limiter.look([limit]);
  assert.equal(await rig.outsider.zcard(keyOf(limit)), 8);
});
