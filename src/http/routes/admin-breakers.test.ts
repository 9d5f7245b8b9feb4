// The operators' endpoints for circuit breakers, without a listener, on the embedded store.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { createAuditLog } from '../../adapters/sql/audit-log.ts';
import { openSqlite, type SqliteStore } from '../../adapters/sqlite/open-sqlite.ts';
import { createAuditor } from '../../admission/administer-audit.ts';
import { administerBreakers } from '../../admission/administer-breakers.ts';
import type { AuditLog } from '../../admission/audit-log.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { BREAKER_DEFAULTS } from '../../resilience/circuit-breaker.ts';
import { createInProcessApi, type InProcessApi } from '../in-process.ts';
import { createErrorReplier } from '../reply-error.ts';
import { adminBreakerRoutes } from './admin-breakers.ts';

const OPENAI = { provider: 'openai', region: 'us-east' };
const CIRCUITS = [OPENAI, { provider: 'anthropic', region: 'us-east' }];
const clock = createTestClock();
const board = createMemoryBreakerBoard({
  rules: BREAKER_DEFAULTS,
  clock,
  newProbeId: () => newId('att'),
  longestCallMs: 600_000,
  onTransition: () => {},
});

let store: SqliteStore;
let audit: AuditLog;
let api: InProcessApi;
let isAdmin = true;
before(async () => {
  store = await openSqlite(':memory:');
  audit = createAuditLog(store.db);
  const auditor = createAuditor({ audit, clock, newId, log: silentLog });
  const gate = {
    requireAdmin() {
      if (!isAdmin) throw new SpillwayError('UNAUTHORIZED', 'no admin key');
    },
  };
  const breakers = administerBreakers({ breakers: board, auditor, circuits: CIRCUITS });
  api = await createInProcessApi({
    routes: [adminBreakerRoutes(breakers, gate)],
    replyError: createErrorReplier(clock, silentLog),
    newId,
  });
});
after(async () => {
  await api.close();
  await store.close();
});

async function list(): Promise<unknown> {
  const { status, text } = await api.call({ method: 'GET', path: '/admin/breakers' });
  assert.equal(status, 200);
  return Reflect.get(JSON.parse(text), 'data');
}

function reset(path: string) {
  return api.call({ method: 'POST', path: `/admin/breakers/${path}/reset` });
}

function openCircuit(): void {
  const pass = { key: OPENAI, probe: undefined };
  for (let call = 0; call < 5; call += 1) board.report(pass, 'failure');
}

const IDLE = {
  region: 'us-east',
  organization: null,
  state: 'closed',
  cause: null,
  failuresInWindow: 0,
  callsInWindow: 0,
  successesInHalfOpen: 0,
  openedAt: null,
  nextProbeAt: null,
};

test('the list has every configured circuit, even without calls', async () => {
  assert.deepEqual(await list(), [
    { ...IDLE, provider: 'anthropic' },
    { ...IDLE, provider: 'openai' },
  ]);
});

test('an open circuit is listed with its times, and an audited reset closes it', async () => {
  openCircuit();
  const openedAt = clock.now();
  assert.deepEqual(await list(), [
    { ...IDLE, provider: 'anthropic' },
    {
      provider: 'openai',
      region: 'us-east',
      organization: null,
      state: 'open',
      cause: 'failures',
      failuresInWindow: 5,
      callsInWindow: 5,
      successesInHalfOpen: 0,
      openedAt,
      nextProbeAt: openedAt + 60_000,
    },
  ]);
  const answer = await reset('openai/us-east');
  assert.deepEqual(answer, { status: 204, text: '' });
  assert.equal(board.isClosed(OPENAI), true);
  const [entry] = await audit.list({ limit: 1 });
  assert.deepEqual(
    [entry?.action, entry?.target, entry?.actor],
    ['breaker.reset', 'openai/us-east', 'admin'],
  );
});

test('the circuit of an organisation is listed with it, and its label resets it', async () => {
  const own = { ...OPENAI, organization: 'org_1' };
  board.report({ key: OPENAI, probe: undefined }, 'success', 'org_2');
  for (let call = 0; call < 5; call += 1)
    board.report({ key: OPENAI, probe: undefined }, 'failure', 'org_1');
  assert.equal(board.isClosed(OPENAI), true);
  assert.partialDeepStrictEqual(await list(), [
    { provider: 'anthropic', organization: null },
    { provider: 'openai', organization: null, state: 'closed' },
    { provider: 'openai', region: 'us-east@org_1', organization: 'org_1', state: 'open' },
  ]);
  assert.equal((await reset('openai/us-east%40org_1')).status, 204);
  assert.equal(board.isClosed(own), true);
  await board.reset(OPENAI);
});

test('a circuit that a limit opened is listed with that cause', async () => {
  const now = clock.now();
  await board.limitUntil(OPENAI, now + 30_000);
  const shown = { ...IDLE, provider: 'openai', state: 'open', cause: 'limit', openedAt: now };
  const idle = { ...IDLE, provider: 'anthropic' };
  assert.deepEqual(await list(), [idle, { ...shown, nextProbeAt: now + 30_000 }]);
  await board.clearLimit(OPENAI);
  assert.deepEqual(await list(), [idle, { ...IDLE, provider: 'openai' }]);
});

test('a circuit of one account and model is listed and reset by its label', async () => {
  const key = { ...OPENAI, account: 'second', model: 'gpt-5' };
  await board.limitUntil(key, clock.now() + 30_000);
  const label = 'us-east/second:gpt-5';
  assert.ok(JSON.stringify(await list()).includes(`"region":"${label}"`));
  const { status } = await reset(`openai/${encodeURIComponent(label)}`);
  assert.equal(status, 204);
  assert.equal(board.isClosed(key), true);
  const [entry] = await audit.list({ limit: 1 });
  assert.equal(entry?.target, `openai/${label}`);
});

test('the reset of a circuit that is not configured answers 404 and is not audited', async () => {
  const before = await audit.list({ limit: 100 });
  for (const path of ['openai/eu-west', 'unknown/us-east']) {
    const { status, text } = await reset(path);
    assert.equal(status, 404);
    assert.equal(JSON.parse(text).error.code, 'NOT_FOUND');
  }
  assert.deepEqual(await audit.list({ limit: 100 }), before);
});

test('list and reset answer 401 without the admin key', async () => {
  openCircuit();
  isAdmin = false;
  assert.equal((await reset('openai/us-east')).status, 401);
  assert.equal((await api.call({ method: 'GET', path: '/admin/breakers' })).status, 401);
  isAdmin = true;
  assert.equal(board.isClosed(OPENAI), false);
});
