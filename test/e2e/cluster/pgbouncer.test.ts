// PostgreSQL behind a real PgBouncer: session mode works with PgBouncer's defaults, transaction mode ends the start with one
// sentence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectPooling } from '../../../src/adapters/postgres/connection/detect-pooling.ts';
import { ask } from '../../support/gateway/call-rig.ts';
import { finishSpillway } from '../../support/gateway/spillway-process.ts';
import { openTestCluster } from '../../support/gateway/test-cluster.ts';
import { runJob } from '../../support/jobs/run-job.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { createTestDatabase, runOn } from '../../support/stores/isolated-postgres.ts';
import { pgbouncerMissing, startPgBouncer } from '../../support/stores/pgbouncer.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const skip = pgbouncerMissing();
const { databaseUrl, redisUrl } = servicesFromEnv(process.env);
const KEYS = {
  SPILLWAY_ADMIN_KEY: 'an-admin-key-for-the-cluster-0123456789',
  ANTHROPIC_API_KEY: 'provider-key',
};

test('a direct connection is recognised without a pooler', async () => {
  assert.equal(await detectPooling(databaseUrl), 'none');
});

test('a server behind PgBouncer in session mode serves calls and jobs, and is locked against a second one', {
  skip,
}, async (context) => {
  const bouncer = await startPgBouncer(databaseUrl, 'session');
  assert.equal(await detectPooling(bouncer.urlOf(databaseUrl)), 'session');
  const cluster = await openTestCluster(
    { databaseUrl, redisUrl, rabbitmqUrl: '' },
    tempFolder(context),
  );
  const pooled = bouncer.urlOf(cluster.env['DATABASE_URL'] ?? '');
  const { url } = await cluster.start(['serve'], { DATABASE_URL: pooled });
  const caller = { url, apiKey: cluster.apiKey };
  assert.equal((await ask(caller)).status, 200);
  assert.equal(await runJob(caller), 'succeeded');
  const rows = await runOn(
    cluster.env['DATABASE_URL'] ?? '',
    `select count(*) as locks from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  assert.equal(Number(rows[0]?.['locks']), 1);
  const alone = { ...cluster.env, DATABASE_URL: pooled, REDIS_URL: '' };
  const second = await finishSpillway(['serve'], {
    ...alone,
    SPILLWAY_DATA_DIR: tempFolder(context),
  });
  assert.match(second.errors, /is in use by another Spillway/);
  await cluster.close();
  await bouncer.close();
});

test('a server, a migration and doctor refuse PgBouncer in transaction mode and say what to do', {
  skip,
}, async (context) => {
  const bouncer = await startPgBouncer(databaseUrl, 'transaction');
  const database = await createTestDatabase('pooled transactions', { isMigrated: false });
  const env = {
    ...KEYS,
    DATABASE_URL: bouncer.urlOf(database.url),
    SPILLWAY_DATA_DIR: tempFolder(context),
  };
  for (const command of ['serve', 'migrate', 'doctor']) {
    const { code, output, errors } = await finishSpillway([command], env);
    assert.notEqual(code, 0, command);
    assert.match(output + errors, /pools transactions.*needs sessions.*pool_mode = session/s);
    assert.doesNotMatch(output + errors, /\n\s+at /, 'without a stack');
  }
  await database.drop();
  await bouncer.close();
});

test('a parameter in DATABASE_URL that PgBouncer does not know is named', { skip }, async () => {
  const bouncer = await startPgBouncer(databaseUrl, 'session');
  const url = `${bouncer.urlOf(databaseUrl)}?statement_timeout=1000`;
  const { errors } = await finishSpillway(['migrate'], { ...KEYS, DATABASE_URL: url });
  assert.match(errors, /refuses the parameter statement_timeout; remove it from DATABASE_URL/);
  await bouncer.close();
});
