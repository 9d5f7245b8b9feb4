// Circuits that three servers share, on a real Redis of their own.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, breakerBoardContract, CONTRACT_RULES } from '../../../test/contract/breaker-board.ts';
import { openRedisRig, type RedisRig, until } from '../../../test/support/redis-rig.ts';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { BreakerMove, BreakerPass, CallHealth } from '../../resilience/breaker-board.ts';
import { openRedisBreakerBoard, type RedisBreakerBoard } from './breaker-board.ts';
import type { RedisLink } from './open-redis.ts';

const PLACE = { provider: 'anthropic', region: 'us-east' };
const PASS: BreakerPass = { ...PLACE, probe: undefined };

type Server = {
  readonly board: RedisBreakerBoard;
  readonly link: RedisLink;
  readonly moves: BreakerMove[];
};

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function openServer(
  rules = CONTRACT_RULES,
  { patienceMs = 5000, leaseMs = 15_000 } = {},
): Promise<Server> {
  const link = rig.open();
  await link.ready(patienceMs);
  const moves: BreakerMove[] = [];
  const board = await openRedisBreakerBoard({
    link,
    clock: systemClock,
    rules,
    keyPrefix: 'test:',
    newProbeId: () => newId('att'),
    longestCallMs: 600_000,
    leaseMs,
    onMove: (move) => void moves.push(move),
  });
  return { board, link, moves };
}

async function openForContract(rules = CONTRACT_RULES, patienceMs = 5000) {
  const { board, moves } = await openServer(rules, { patienceMs });
  return {
    board,
    moves,
    pass: (ms: number) => sleep(systemClock, ms + 2),
    settled: () => board.settled(),
    close: () => board.close(),
  };
}

function fail({ board }: Server, times: number, health: CallHealth = 'failure'): Promise<void> {
  for (let call = 0; call < times; call += 1) board.report(PASS, health);
  return board.settled();
}

function isClosed({ board }: Server): boolean {
  return board.isClosed(PLACE.provider, PLACE.region);
}

/** As a call that is made as soon as one may be. */
async function probe({ board }: Server): Promise<BreakerPass> {
  for (;;) {
    const answer = await ask(board, PLACE.provider, PLACE.region);
    if (answer.isAllowed) return answer.pass;
    await sleep(systemClock, 5);
  }
}

async function end({ board }: Server, pass: BreakerPass, health: CallHealth): Promise<void> {
  board.report(pass, health);
  await board.settled();
}

describe('with a Redis', () => {
  breakerBoardContract('Redis', (rules) => openForContract(rules));
});

describe('servers that share a Redis', () => {
  beforeEach(() => rig.outsider.flushall());

  test('failures of all servers are counted together, and every server hears that it opened', async () => {
    const servers = await Promise.all([openServer(), openServer(), openServer()]);
    await fail(servers[0], 2);
    await fail(servers[1], 2);
    assert.ok(servers.every(isClosed));
    await fail(servers[2], 1);
    await until(() => servers.every((server) => !isClosed(server)));
    const moves = servers.flatMap((server) => server.moves);
    assert.equal(moves.filter(({ isDecidedHere }) => isDecidedHere).length, 1);
    assert.ok(moves.every(({ from, to }) => from === 'closed' && to === 'open'));
  });

  test('what goes well elsewhere speaks against opening', async () => {
    const [well, ill] = await Promise.all([openServer(), openServer()]);
    await fail(well, 20, 'success');
    const views = () => ill.board.list();
    await until(async () => (await views())[0]?.callsInWindow === 20);
    await fail(ill, 6);
    assert.ok(isClosed(ill));
    await fail(ill, 14);
    assert.ok(!isClosed(ill));
  });

  test('a server that comes later knows what the others know', async () => {
    const rules = { ...CONTRACT_RULES, openMs: 60_000 };
    await fail(await openServer(rules), 5);
    assert.ok(!isClosed(await openServer(rules)));
  });

  test('of all servers one is given the probe, and the next only when it has ended', async () => {
    const servers = await Promise.all([openServer(), openServer(), openServer()]);
    await fail(servers[0], 5);
    await sleep(systemClock, CONTRACT_RULES.openMs + 2);
    const asks = servers.flatMap(({ board }) =>
      Array.from({ length: 10 }, () => ask(board, PLACE.provider, PLACE.region)),
    );
    const passes = (await Promise.all(asks)).flatMap((each) => (each.isAllowed ? [each.pass] : []));
    assert.equal(passes.length, 1);
    const [pass] = passes;
    assert.ok(pass);
    await end(servers[1], pass, 'success');
    await end(servers[2], await probe(servers[2]), 'success');
    await until(() => servers.every(isClosed));
  });

  test('a probe whose server died is given up after its lease', async () => {
    const dying = await openServer(CONTRACT_RULES, { leaseMs: 300 });
    const other = await openServer(CONTRACT_RULES, { leaseMs: 300 });
    await fail(dying, 5);
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
    const slow = await openServer(CONTRACT_RULES, { leaseMs: 150 });
    const other = await openServer(CONTRACT_RULES, { leaseMs: 150 });
    await fail(slow, 5);
    const pass = await probe(slow);
    const endsAt = Date.now() + 600;
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
    const servers = await Promise.all([openServer(rules), openServer(rules)]);
    await fail(servers[0], 5);
    await until(() => !isClosed(servers[1]));
    await servers[1].board.reset(PLACE.provider, PLACE.region);
    await until(() => servers.every(isClosed));
  });

  test('other circuits than those configured are none of Redis’ business', async () => {
    const { board } = await openServer();
    await rig.outsider.publish('test:breakers:changed', 'no news');
    await rig.outsider.publish('test:breakers:changed', '{"place":"[]"}');
    assert.equal(board.isClosed(PLACE.provider, PLACE.region), true);
    assert.deepEqual(await board.list(), []);
  });
});

describe('while Redis is away', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  breakerBoardContract('a Redis that is away', (rules) => openForContract(rules, 50));
});

describe('servers whose Redis goes and comes', () => {
  const rules = { ...CONTRACT_RULES, openMs: 60_000 };
  beforeEach(() => rig.outsider.flushall());

  test('what was decided alone is told to all when Redis is back', async () => {
    const [alone, other] = await Promise.all([openServer(rules), openServer(rules)]);
    await rig.service.kill('SIGKILL');
    await until(() => !alone.link.isUp() && !other.link.isUp());
    await fail(alone, 5);
    assert.ok(!isClosed(alone));
    assert.ok(isClosed(other));
    await rig.service.restart();
    await until(() => !isClosed(other));
    assert.ok(!isClosed(alone));
  });

  test('an open circuit stays open when Redis has lost its data', async () => {
    const servers = await Promise.all([openServer(rules), openServer(rules)]);
    await fail(servers[0], 5);
    await until(() => !isClosed(servers[1]));
    await rig.service.restart();
    await until(async () => {
      if (!servers.every(({ link }) => link.isUp())) return false;
      const [view] = await servers[0].board.list();
      return view?.state === 'open';
    });
    assert.ok(!servers.some(isClosed));
  });

  test('a Redis that hangs holds up no call', async () => {
    const server = await openServer(rules);
    await rig.service.freeze();
    for (let call = 0; call < 5; call += 1) server.board.report(PASS, 'failure');
    assert.equal((await ask(server.board, PLACE.provider, PLACE.region)).isAllowed, true);
    await until(() => !isClosed(server));
    await rig.service.thaw();
    await until(async () => (await openView(server)) === 'open');
  });

  async function openView({ board, link }: Server): Promise<string | undefined> {
    if (!link.isUp()) return undefined;
    const [view] = await board.list();
    return view?.state;
  }
});
