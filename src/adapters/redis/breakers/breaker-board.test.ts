// Circuits that three servers share, on a real Redis of their own.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  ask,
  breakerBoardContract,
  CONTRACT_RULES,
} from '../../../../test/contract/breaker-board.ts';
import {
  call,
  end,
  isClosed,
  openBreakerServer,
  openForContract,
  PLACE,
  probe,
} from '../../../../test/support/limits/breaker-rig.ts';
import { openRedisRig, type RedisRig, until } from '../../../../test/support/stores/redis-rig.ts';
import { sleep, systemClock } from '../../../kernel/clock.ts';
import type { BreakerPass } from '../../../resilience/breaker-board.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

describe('with a Redis', () => {
  breakerBoardContract('Redis', (rules) => openForContract(rig, rules));
});

describe('servers that share a Redis', () => {
  beforeEach(() => rig.outsider.flushall());

  test('failures of all servers are counted together, and every server hears that it opened', async () => {
    const servers = await Promise.all([
      openBreakerServer(rig),
      openBreakerServer(rig),
      openBreakerServer(rig),
    ]);
    await call(servers[0], 2);
    await call(servers[1], 2);
    assert.ok(servers.every(isClosed));
    await call(servers[2], 1);
    await until(() => servers.every((server) => !isClosed(server)));
    const moves = servers.flatMap((server) => server.moves);
    assert.equal(moves.filter(({ isDecidedHere }) => isDecidedHere).length, 1);
    assert.ok(moves.every(({ from, to }) => from === 'closed' && to === 'open'));
  });

  test('what goes well elsewhere speaks against opening', async () => {
    const [well, ill] = await Promise.all([openBreakerServer(rig), openBreakerServer(rig)]);
    await call(well, 20, 'success');
    const views = () => ill.board.list();
    await until(async () => (await views())[0]?.callsInWindow === 20);
    await call(ill, 6);
    assert.ok(isClosed(ill));
    await call(ill, 14);
    assert.ok(!isClosed(ill));
  });

  test('a server that comes later knows what the others know', async () => {
    const rules = { ...CONTRACT_RULES, openMs: 60_000 };
    await call(await openBreakerServer(rig, rules), 5);
    assert.ok(!isClosed(await openBreakerServer(rig, rules)));
  });

  test('of all servers one is given the probe, and the next only when it has ended', async () => {
    const servers = await Promise.all([
      openBreakerServer(rig),
      openBreakerServer(rig),
      openBreakerServer(rig),
    ]);
    await call(servers[0], 5);
    await until(() => servers.every((server) => !isClosed(server)));
    await sleep(systemClock, CONTRACT_RULES.openMs + 2);
    const passes: BreakerPass[] = [];
    // On a busy machine Redis may be too slow for the first who ask.
    while (passes.length === 0) {
      const asks = servers.flatMap(({ board }) =>
        Array.from({ length: 10 }, () => ask(board, PLACE.provider, PLACE.region)),
      );
      for (const answer of await Promise.all(asks)) if (answer.isAllowed) passes.push(answer.pass);
    }
    assert.equal(passes.length, 1);
    const [pass] = passes;
    assert.ok(pass);
    await end(servers[1], pass, 'success');
    await end(servers[2], await probe(servers[2]), 'success');
    await until(() => servers.every(isClosed));
  });

  test('a probe whose server died is given up after its lease', async () => {
    const dying = await openBreakerServer(rig, CONTRACT_RULES, { leaseMs: 300 });
    const other = await openBreakerServer(rig, CONTRACT_RULES, { leaseMs: 300 });
    await call(dying, 5);
    const lost = await probe(dying);
    await dying.board.close();
    const next = await probe(other);
    assert.notEqual(next.probe, lost.probe);
    // Nobody listens to the one that was given up.
    other.board.report(lost, 'failure');
    await other.board.settled();
    await end(other, next, 'success');
    const [view] = await other.board.list();
    assert.deepEqual([view?.state, view?.successesInHalfOpen], ['half_open', 1]);
  });

  test('a probe that lasts longer than its lease stays the only one', async () => {
    const slow = await openBreakerServer(rig, CONTRACT_RULES, { leaseMs: 1500 });
    const other = await openBreakerServer(rig, CONTRACT_RULES, { leaseMs: 1500 });
    await call(slow, 5);
    const pass = await probe(slow);
    const endsAt = Date.now() + 2500;
    while (Date.now() < endsAt) {
      assert.equal((await ask(other.board, PLACE.provider, PLACE.region)).isAllowed, false);
      await sleep(systemClock, 10);
    }
    await end(slow, pass, 'success');
    await end(other, await probe(other), 'success');
    await until(() => isClosed(slow));
  });

  test("an operator's reset on one server is one on all", async () => {
    const rules = { ...CONTRACT_RULES, openMs: 60_000 };
    const servers = await Promise.all([
      openBreakerServer(rig, rules),
      openBreakerServer(rig, rules),
    ]);
    await call(servers[0], 5);
    await until(() => !isClosed(servers[1]));
    await servers[1].board.reset(PLACE.provider, PLACE.region);
    await until(() => servers.every(isClosed));
  });

  test('a limit that one has met holds all back, and after it one of all is given the probe', async () => {
    const servers = await Promise.all([
      openBreakerServer(rig),
      openBreakerServer(rig),
      openBreakerServer(rig),
    ]);
    const burst = Array.from({ length: 50 }, (_, index) =>
      servers[0].board.expect(PLACE.provider, PLACE.region, Date.now() + 500 + index),
    );
    await Promise.all(burst);
    await until(() => servers.every((server) => !isClosed(server)));
    const passes = await Promise.race(servers.map((server) => probe(server)));
    const others = await Promise.all(
      servers.map(({ board }) => ask(board, PLACE.provider, PLACE.region)),
    );
    assert.ok(others.every((answer) => !answer.isAllowed && answer.cause === 'limit'));
    await end(servers[1], passes, 'success');
    await until(() => servers.every(isClosed));
    const seen = servers.flatMap(({ moves }) => moves.map(({ cause }) => cause));
    assert.deepEqual([...new Set(seen)], ['limit']);
  });

  test('a limit taken away at one server is taken away at all', async () => {
    const servers = await Promise.all([openBreakerServer(rig), openBreakerServer(rig)]);
    await servers[0].board.expect(PLACE.provider, PLACE.region, Date.now() + 60_000);
    await until(() => !isClosed(servers[1]));
    await servers[1].board.expectNothing(PLACE.provider, PLACE.region);
    await until(() => servers.every(isClosed));
  });

  test('other circuits than those configured are none of Redis’ business', async () => {
    const { board } = await openBreakerServer(rig);
    await rig.outsider.publish('test:breakers:changed', 'no news');
    await rig.outsider.publish('test:breakers:changed', '{"place":"[]"}');
    assert.equal(board.isClosed(PLACE.provider, PLACE.region), true);
    assert.deepEqual(await board.list(), []);
  });
});
