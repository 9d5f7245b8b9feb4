// Circuits while Redis is down, frozen or has lost its data: each server decides alone and restores its state afterwards.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import {
  ask,
  breakerBoardContract,
  CONTRACT_RULES,
} from '../../../../test/contract/breaker-board.ts';
import {
  type BreakerServer,
  CIRCUIT,
  call,
  callUntil,
  cuttable,
  end,
  isClosed,
  openBreakerServer,
  openForContract,
  probe,
} from '../../../../test/support/limits/breaker-rig.ts';
import { openRedisRig, type RedisRig, until } from '../../../../test/support/stores/redis-rig.ts';
import { sleep, systemClock } from '../../../kernel/clock.ts';
import { organizationCircuit } from '../../../resilience/circuit-key.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

describe('while Redis is unavailable', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  breakerBoardContract('an unavailable Redis', (rules) => openForContract(rig, rules, 50));
});

describe('servers on a Redis that fails and recovers', () => {
  const rules = { ...CONTRACT_RULES, openMs: 60_000 };
  const openedServers: BreakerServer[] = [];
  beforeEach(() => rig.outsider.flushall());
  // The server of an earlier test would restore its open circuit after the flush.
  afterEach(() => Promise.all(openedServers.splice(0).map(({ board }) => board.close())));

  async function openServer(
    ...given: Parameters<typeof openBreakerServer>
  ): Promise<BreakerServer> {
    const opened = await openBreakerServer(...given);
    openedServers.push(opened);
    return opened;
  }

  test('a decision made during an outage reaches all servers after it', async () => {
    const [alone, other] = await Promise.all([openServer(rig, rules), openServer(rig, rules)]);
    await rig.service.kill('SIGKILL');
    await until(() => !alone.link.isUp() && !other.link.isUp());
    await call(alone, 5);
    assert.ok(!isClosed(alone));
    assert.ok(isClosed(other));
    await rig.service.restart();
    await until(() => !isClosed(other));
    assert.ok(!isClosed(alone));
  });

  test('an open circuit stays open when Redis has lost its data', async () => {
    const servers = await Promise.all([openServer(rig, rules), openServer(rig, rules)]);
    await call(servers[0], 5);
    await until(() => !isClosed(servers[1]));
    await rig.service.restart();
    await until(async () => {
      if (!servers.every(({ link }) => link.isUp())) return false;
      const [view] = await servers[0].board.list();
      return view?.state === 'open';
    });
    assert.ok(!servers.some(isClosed));
  });

  test('limits met during an outage reach all servers after it, and the latest end applies', async () => {
    const [alone, other] = await Promise.all([openServer(rig, rules), openServer(rig, rules)]);
    // A circuit of its own: the servers of earlier tests still remember theirs.
    const key = { provider: 'openai', region: 'eu-west' };
    const isLimited = () => [alone, other].every(({ board }) => board.openCause(key) === 'limit');
    const now = Date.now();
    await rig.service.kill('SIGKILL');
    await until(() => !alone.link.isUp() && !other.link.isUp());
    await alone.board.limitUntil(key, now + 900_000);
    await other.board.limitUntil(key, now + 600_000);
    assert.ok(isLimited());
    await rig.service.restart();
    await until(async () => {
      const views = other.link.isUp() ? await other.board.list() : [];
      const view = views.find((each) => each.key.provider === 'openai');
      return (view?.nextProbeAt ?? 0) > now + 800_000;
    });
    assert.ok(isLimited());
    await alone.board.clearLimit(key);
    await until(() => [alone, other].every(({ board }) => board.isClosed(key)));
  });

  test('a server that only remembers an open circuit does not reopen it after another server closed it', async () => {
    const line = cuttable(rig.open());
    const [other, cutOff] = [
      await openServer(rig, rules),
      await openServer(rig, rules, { link: line.link }),
    ];
    await call(other, 5);
    await until(() => !isClosed(cutOff));
    line.cut();
    await other.board.reset(CIRCUIT);
    assert.equal((await ask(cutOff.board, CIRCUIT)).isAllowed, false);
    line.mend();
    await until(() => isClosed(cutOff));
    assert.ok(isClosed(other));
  });

  test('failures that only a cut-off server saw open the circuit for all, and its successes close it', async () => {
    const short = { ...rules, openMs: 50 };
    const line = cuttable(rig.open());
    const [other, cutOff] = [
      await openServer(rig, short),
      await openServer(rig, short, { link: line.link }),
    ];
    line.cut();
    await call(cutOff, 5);
    line.mend();
    await until(() => !isClosed(other));
    line.cut();
    for (let probes = 0; probes < 2; probes += 1) await end(cutOff, await probe(cutOff), 'success');
    assert.ok(isClosed(cutOff) && !isClosed(other));
    line.mend();
    await until(() => isClosed(other));
  });

  test('failures of one organisation at a cut-off server open no circuit for another at the other server', async () => {
    const line = cuttable(rig.open());
    const [other, cutOff] = [
      await openServer(rig, rules),
      await openServer(rig, rules, { link: line.link }),
    ];
    const pass = { key: CIRCUIT, probe: undefined };
    other.board.report(pass, 'success', 'healthy');
    await other.board.settled();
    cutOff.board.report(pass, 'success', 'failing');
    await cutOff.board.settled();
    line.cut();
    for (let made = 0; made < 10; made += 1) cutOff.board.report(pass, 'failure', 'failing');
    assert.ok(isClosed(cutOff));
    assert.equal(cutOff.board.isClosed(organizationCircuit(CIRCUIT, 'failing')), false);
    line.mend();
    await cutOff.board.settled();
    await other.board.settled();
    assert.ok(isClosed(cutOff) && isClosed(other));
  });

  test('all servers call a recovered provider again, whatever Redis went through', async () => {
    const short = { ...rules, openMs: 30 };
    const servers = await Promise.all(
      [1, 2, 3].map(() => openServer(rig, short, { leaseMs: 200 })),
    );
    const calling = new AbortController();
    const calls = servers.map((server) => callUntil(server, calling.signal, 'failure'));
    await rig.service.restart();
    await rig.outsider.flushall();
    await until(() => servers.every((server) => !isClosed(server)));
    await rig.service.freeze();
    await sleep(systemClock, 300);
    await rig.service.thaw();
    await rig.service.restart();
    calling.abort();
    await Promise.all(calls);
    const healing = new AbortController();
    const healed = servers.map((server) => callUntil(server, healing.signal, 'success'));
    await until(async () => servers.every(isClosed) && (await openView(servers[0])) === 'closed');
    healing.abort();
    await Promise.all(healed);
  });

  test('a frozen Redis delays no call', async () => {
    const server = await openServer(rig, rules);
    await rig.service.freeze();
    const calls = call(server, 5);
    assert.equal((await ask(server.board, CIRCUIT)).isAllowed, true);
    await until(() => !isClosed(server));
    await rig.service.thaw();
    await calls;
    await until(async () => (await openView(server)) === 'open');
  });

  async function openView(server: BreakerServer | undefined): Promise<string | undefined> {
    if (!server?.link.isUp()) return undefined;
    const [view] = await server.board.list();
    return view?.state;
  }
});
