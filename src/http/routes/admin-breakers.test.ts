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

const PLACES = [
  { provider: 'openai', region: 'us-east' },
  { provider: 'anthropic', region: 'us-east' },
];
const clock = createTestClock();
const board = createMemoryBreakerBoard({
  rules: BREAKER_DEFAULTS,
  clock,
  newProbeId: () => newId('att'),
  longestCallMs: 600_000,
  onMove: () => {},
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
  const breakers = administerBreakers({ breakers: board, auditor, places: PLACES });
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

function breakOpenai(): void {
  const pass = { provider: 'openai', region: 'us-east', probe: undefined };
  for (let call = 0; call < 5; call += 1) board.report(pass, 'failure');
}

const QUIET = {
  region: 'us-east',
  state: 'closed',
  cause: null,
  failuresInWindow: 0,
  callsInWindow: 0,
  successesInHalfOpen: 0,
  openedAt: null,
  nextProbeAt: null,
};

test('every configured circuit is shown, also where nothing was called', async () => {
  assert.deepEqual(await list(), [
    { ...QUIET, provider: 'anthropic' },
    { ...QUIET, provider: 'openai' },
  ]);
});

test('an open circuit is shown with its times, and closed by a reset that is audited', async () => {
  breakOpenai();
  const openedAt = clock.now();
  assert.deepEqual(await list(), [
    { ...QUIET, provider: 'anthropic' },
    {
      provider: 'openai',
      region: 'us-east',
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
  assert.equal(board.isClosed('openai', 'us-east'), true);
  const [entry] = await audit.list({ limit: 1 });
  assert.deepEqual(
    [entry?.action, entry?.target, entry?.actor],
    ['breaker.reset', 'openai/us-east', 'admin'],
  );
});

test('a circuit that waits for the end of a limit says so', async () => {
  const now = clock.now();
  await board.expect('openai', 'us-east', now + 30_000);
  const shown = { ...QUIET, provider: 'openai', state: 'open', cause: 'limit', openedAt: now };
  const quiet = { ...QUIET, provider: 'anthropic' };
  assert.deepEqual(await list(), [quiet, { ...shown, nextProbeAt: now + 30_000 }]);
  await board.expectNothing('openai', 'us-east');
  assert.deepEqual(await list(), [quiet, { ...QUIET, provider: 'openai' }]);
});

test('a circuit that is not configured is not found, and nothing is audited', async () => {
  const before = await audit.list({ limit: 100 });
  for (const path of ['openai/eu-west', 'nobody/us-east']) {
    const { status, text } = await reset(path);
    assert.equal(status, 404);
    assert.equal(JSON.parse(text).error.code, 'NOT_FOUND');
  }
  assert.deepEqual(await audit.list({ limit: 100 }), before);
});

test('without the admin key nothing is shown and nothing is reset', async () => {
  breakOpenai();
  isAdmin = false;
  assert.equal((await reset('openai/us-east')).status, 401);
  assert.equal((await api.call({ method: 'GET', path: '/admin/breakers' })).status, 401);
  isAdmin = true;
  assert.equal(board.isClosed('openai', 'us-east'), false);
});
