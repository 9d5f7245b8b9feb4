import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog } from '../../kernel/log.ts';
import { openIdempotency, PRUNE_INTERVAL_MS } from './open-idempotency.ts';

const RETENTION_MS = 2 * PRUNE_INTERVAL_MS;

async function start() {
  const clock = createTestClock();
  const sqlite = await openSqlite(':memory:');
  const store = createIdempotencyStore(sqlite.db, { retentionMs: RETENTION_MS });
  const lifecycle = createLifecycle();
  lifecycle.onClose('store', () => sqlite.close());
  openIdempotency({ stores: [store], clock, log: silentLog, lifecycle });
  const count = async () =>
    (await sqlite.db.selectFrom('idempotency_keys').select('key').execute()).length;
  return { clock, store, lifecycle, sqlite, count };
}

test('an expired answer is deleted within an interval and a fresh one stays', async () => {
  const { clock, store, lifecycle, count } = await start();
  const claim = { organizationId: 'acme', fingerprint: 'one', requestId: 'req_1', deadlineAt: 0 };
  await store.claim({ ...claim, key: 'old' }, clock.now());
  await clock.advance(PRUNE_INTERVAL_MS);
  await store.claim({ ...claim, key: 'new' }, clock.now());
  assert.equal(await count(), 2);
  await clock.advance(PRUNE_INTERVAL_MS);
  assert.equal(await count(), 1);
  await lifecycle.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('pruning is retried while the store is unavailable, until the close', async () => {
  const { clock, lifecycle, sqlite } = await start();
  await sqlite.close();
  await clock.advance(3 * PRUNE_INTERVAL_MS);
  assert.equal(clock.pendingTimers(), 1);
  await lifecycle.close();
  assert.equal(clock.pendingTimers(), 0);
});
