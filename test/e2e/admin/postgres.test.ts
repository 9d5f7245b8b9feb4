// The operator commands on a real PostgreSQL without a running server.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { createTestDatabase, type TestDatabase } from '../../support/stores/isolated-postgres.ts';
import { runCommand } from './run-command.ts';

let database: TestDatabase;
let folder: string;
before(async () => {
  database = await createTestDatabase('admin', { isMigrated: false });
  folder = mkdtempSync(join(tmpdir(), 'spillway-pg-'));
});
after(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function answerOf(...args: string[]): Promise<unknown> {
  const env = {
    DATABASE_URL: database.url,
    SPILLWAY_ADMIN_KEY: 'adm-for-this-test-0123456789abcdefgh',
    PORT: '0',
  };
  return JSON.parse(await runCommand(folder, [...args, '--json'], env));
}

test('a store is migrated and administered, and nothing is written to the folder', async () => {
  await assert.rejects(answerOf('orgs', 'list'), /run `spillway migrate`/);
  const { run } = Object(await answerOf('migrate'));
  assert.ok(Array.isArray(run) && run.length > 0);

  const created = await answerOf('orgs', 'create', 'acme', '--budget', '0.5', '--locale', 'de');
  assert.partialDeepStrictEqual(created, { monthlyBudgetUsd: 0.5, locale: 'de' });
  await answerOf('orgs', 'set', 'acme', '--locale', 'none', '--tpd', '9000000000');
  const orgs = rowsOf(await answerOf('orgs', 'list'));
  assert.partialDeepStrictEqual(
    orgs.find((row) => valueAt(row, 'id') === 'acme'),
    { monthlyBudgetUsd: 0.5, locale: null, tokensPerDay: 9_000_000_000 },
  );
  const made = await answerOf('keys', 'create', '--org', 'acme', '--model', 'claude-sonnet-4-5');
  await answerOf('keys', 'revoke', '--org', 'acme', textAt(made, 'id'));
  const [key] = rowsOf(await answerOf('keys', 'list', '--org', 'acme'));
  assert.equal(typeof valueAt(key, 'revokedAt'), 'number');
  assert.deepEqual(rowsOf(await answerOf('dlq', 'list')), []);
  assert.deepEqual(readdirSync(folder), []);
});
