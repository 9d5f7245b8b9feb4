import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createAlertBoard } from '../adapters/sql/alerts/alert-board.ts';
import { createBudgetLevels } from '../adapters/sql/alerts/budget-levels.ts';
import { openSqlite, type SqliteStore } from '../adapters/sqlite/open-sqlite.ts';
import { newId } from '../kernel/ids.ts';
import { silentLog } from '../kernel/log.ts';
import type { AlertSinkName } from '../kernel/notify/alert-name.ts';
import type { AlertBoard } from './alert-board.ts';
import { AlertEvaluator } from './alert-evaluator.ts';
import type { FigureReading } from './alert-figures.ts';
import { alertRules } from './alert-rules.ts';
import type { AlertMessage, AlertSink } from './alert-sink.ts';
import { deliverNotices } from './deliver-notices.ts';

const THRESHOLDS = {
  errorRate: 0.05,
  errorsPerMinute: 10,
  rateLimitsPerMinute: 5,
  latencyP99Ms: 10_000,
  costPerRequestUsd: 0.1,
  deadLetters: 0,
  rawBacklog: 1000,
  oldestJobMs: 600_000,
  overdueJobs: 0,
  minServers: 1,
  clearRatio: 0.9,
};
const DOWN: FigureReading = new Map([['dependency-unavailable', [{ subject: 'redis', value: 1 }]]]);
const UP: FigureReading = new Map([['dependency-unavailable', [{ subject: 'redis', value: 0 }]]]);
const signal = new AbortController().signal;

describe('AlertEvaluator', () => {
  let store: SqliteStore;
  let clock: TestClock;
  let holder: string;
  let isRegistryUp: boolean;
  let isStoreUp: boolean;
  let reading: FigureReading;
  let sent: string[];
  /** Failures of the sink to come. */
  let failures: number;

  beforeEach(async () => {
    store = await openSqlite(':memory:');
    clock = createTestClock();
    [holder, isRegistryUp, isStoreUp, reading, failures] = ['a', true, true, new Map(), 0];
    sent = [];
  });
  afterEach(() => store.close());

  function sinkOf(serverId: string): AlertSink {
    return {
      async send({ phase, alert }: AlertMessage) {
        failures -= 1;
        if (failures >= 0) throw new Error('the webhook answered 500');
        sent.push(`${serverId} ${phase} ${alert.name} ${alert.subject ?? ''}`.trim());
      },
    };
  }

  function failingBoard(): AlertBoard {
    const board = createAlertBoard(store.db);
    async function use<T>(work: () => Promise<T>): Promise<T> {
      if (!isStoreUp) throw new Error('the store is unavailable');
      return work();
    }
    return {
      start: (alert, notices) => use(() => board.start(alert, notices)),
      end: (id, endedAt, notices) => use(() => board.end(id, endedAt, notices)),
      firing: () => use(() => board.firing()),
      list: (page) => use(() => board.list(page)),
      claimNotices: (now, until, limit) => use(() => board.claimNotices(now, until, limit)),
      settleNotice: (id, outcome) => use(() => board.settleNotice(id, outcome)),
      prune: (time) => use(() => board.prune(time)),
    };
  }

  function serverOf(serverId: string, disabled: readonly 'dependency-unavailable'[] = []) {
    const sinks = new Map<AlertSinkName, AlertSink>([['webhook', sinkOf(serverId)]]);
    const board = failingBoard();
    const evaluator = new AlertEvaluator({
      rules: alertRules(THRESHOLDS, disabled),
      pace: { startAfter: 1, endAfter: 1, minFiringMs: 0 },
      budgetRules: undefined,
      figures: { observe: () => {}, read: async () => reading },
      board,
      budgetLevels: createBudgetLevels(store.db),
      sinks,
      acquireLease: async () => {
        if (!isRegistryUp) throw new Error('the registry is unavailable');
        return holder === serverId;
      },
      serverId,
      clock,
      newId,
      log: silentLog,
    });
    return {
      async tick() {
        await clock.advance(10_000);
        await evaluator.evaluate(signal);
        if (evaluator.isLeader && isStoreUp)
          await deliverNotices({ board, sinks, clock, log: silentLog }, signal);
      },
    };
  }

  it('the server with the lease reports, the others are silent', async () => {
    const [a, b] = [serverOf('a'), serverOf('b')];
    for (reading of [DOWN, DOWN, UP, UP]) for (const server of [a, b]) await server.tick();
    const about = 'dependency-unavailable redis';
    assert.deepEqual(sent, [`a started ${about}`, `a ended ${about}`]);
  });

  it('a new leader repeats no start and reports the end', async () => {
    reading = DOWN;
    await serverOf('a').tick();
    holder = 'b';
    const b = serverOf('b');
    await b.tick();
    reading = UP;
    await b.tick();
    const about = 'dependency-unavailable redis';
    assert.deepEqual(sent, [`a started ${about}`, `b ended ${about}`]);
  });

  it('two leaders at a time report each alert once', async () => {
    const [a, b] = [serverOf('a'), serverOf('b')];
    await a.tick();
    holder = 'b';
    await b.tick();
    isRegistryUp = false;
    for (reading of [DOWN, DOWN, UP, UP]) {
      await a.tick();
      await b.tick();
    }
    assert.equal(sent.length, 2);
  });

  it('the last leader continues while the registry is unavailable', async () => {
    const [a, b] = [serverOf('a'), serverOf('b')];
    for (const server of [a, b]) await server.tick();
    isRegistryUp = false;
    reading = DOWN;
    for (const server of [b, a]) await server.tick();
    assert.deepEqual(sent, ['a started dependency-unavailable redis']);
  });

  it('messages are sent directly while the store is unavailable, and stored later', async () => {
    const a = serverOf('a');
    await a.tick();
    isStoreUp = false;
    for (reading of [DOWN, DOWN, UP]) await a.tick();
    assert.equal(sent.length, 2);
    isStoreUp = true;
    await a.tick();
    const [alert, ...others] = await failingBoard().list({ limit: 10 });
    assert.deepEqual(others, []);
    assert.ok((alert?.endedAt ?? 0) > (alert?.startedAt ?? 0));
    assert.equal(sent.length, 2);
  });

  it('an unknown figure leaves its alert as it is', async () => {
    const a = serverOf('a');
    for (reading of [DOWN, new Map(), new Map()]) await a.tick();
    assert.equal(sent.length, 1);
    reading = UP;
    await a.tick();
    assert.equal(sent.length, 2);
  });

  it('an alert of a disabled rule ends without a message', async () => {
    reading = DOWN;
    await serverOf('a').tick();
    await serverOf('a', ['dependency-unavailable']).tick();
    assert.deepEqual(await failingBoard().firing(), []);
    assert.equal(sent.length, 1);
  });

  it('a failed message is tried again with growing delays, its end not before its start', async () => {
    failures = 3;
    const a = serverOf('a');
    for (reading of [DOWN, UP, UP]) await a.tick();
    assert.equal(sent.length, 0);
    for (let count = 0; count < 30; count += 1) await a.tick();
    assert.deepEqual(
      sent.map((text) => text.split(' ')[1]),
      ['started', 'ended'],
    );
  });
});
