// `spillway jobs` and `spillway dlq`, on a store without a server and with one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openOfflineAdmin } from '../../../src/app/open/open-offline-admin.ts';
import { lockDataFolder, openStore } from '../../../src/app/open/open-store.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLifecycle } from '../../../src/kernel/lifecycle.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { openAdminRig } from './admin-rig.ts';
import { runCommand } from './run-command.ts';

let dataDir: string;
before(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'spillway-dlq-'));
});
after(() => rmSync(dataDir, { recursive: true }));

function command(folder: string, ...args: string[]): Promise<string> {
  return runCommand(folder, args);
}

async function bury(...ids: string[]): Promise<void> {
  const lifecycle = createLifecycle();
  lockDataFolder(dataDir, lifecycle);
  const store = await openStore({ dataDir, clock: systemClock, log: silentLog, lifecycle });
  for (const id of ids)
    await store.deadLetters.add({
      id,
      queue: 'raw-analysis-queue',
      body: '{"prompt":"\u001b[2Jhello"}',
      errorCode: 'INVALID_REQUEST',
      errorMessage: 'it is malformed',
      attempts: 3,
      createdAt: 1_800_000_000_000,
    });
  await lifecycle.close();
}

async function handIn(id: string): Promise<void> {
  const config = loadConfig({ env: { SPILLWAY_DATA_DIR: dataDir }, cwd: dataDir });
  const api = await openOfflineAdmin(config, silentLog);
  const body = { id, prompt: 'Hello', provider: 'openai' };
  const answer = await api.call({ method: 'POST', path: '/v1/jobs', body });
  await api.close();
  assert.equal(answer.status, 202, answer.text);
}

test('dead letters are listed, shown, discarded and retried', async () => {
  assert.equal(await command(dataDir, 'dlq', 'list'), 'There are no dead letters.');
  await bury('dead-1', 'dead-2', 'dead-3');
  assert.match(
    await command(dataDir, 'dlq', 'list'),
    /^dead-1 +- +raw-analysis-queue +INVALID_REQ/m,
  );
  const shown = await command(dataDir, 'dlq', 'show', 'dead-1');
  assert.match(shown, /error +INVALID_REQUEST: it is malformed/);
  assert.ok(!shown.includes('\u001b'));

  assert.equal(await command(dataDir, 'dlq', 'purge', 'dead-1'), 'Purged: 1.');
  assert.equal(await command(dataDir, 'dlq', 'retry', 'dead-2', '--json'), '{"retried":1}');
  const left = rowsOf(JSON.parse(await command(dataDir, 'dlq', 'list', '--json')));
  assert.deepEqual(
    left.map((row) => valueAt(row, 'id')),
    ['dead-3'],
  );
  await bury('dead-4');
  assert.equal(await command(dataDir, 'dlq', 'retry', '--all'), 'Retried: 2.');
  await bury('dead-5', 'dead-6');
  assert.equal(await command(dataDir, 'dlq', 'purge', '--all'), 'Purged: 2.');
  assert.equal(await command(dataDir, 'dlq', 'list'), 'There are no dead letters.');
});

test('a dead letter command needs an id or --all', async () => {
  await assert.rejects(
    command(dataDir, 'dlq', 'purge'),
    /Give the id of one dead letter, or --all/,
  );
  await assert.rejects(
    command(dataDir, 'dlq', 'retry', 'x', '--all'),
    /Give the id of one dead letter/,
  );
  for (const verb of ['show', 'retry', 'purge'])
    await assert.rejects(
      command(dataDir, 'dlq', verb, 'x'),
      /^CliFailure: There is no dead letter x/,
    );
});

test('a job is shown and cancelled', async () => {
  await handIn('job-1');
  const shown = await command(dataDir, 'jobs', 'show', 'job-1');
  assert.match(shown, /^job-1\n {2}status {4}queued\n/);
  assert.equal(await command(dataDir, 'jobs', 'cancel', 'job-1'), 'job-1 is cancelled.');
  const job: unknown = JSON.parse(await command(dataDir, 'jobs', 'show', 'job-1', '--json'));
  assert.partialDeepStrictEqual(job, { id: 'job-1', status: 'cancelled' });
  await assert.rejects(command(dataDir, 'jobs', 'show', 'nothing'), /has no job nothing/);
});

test('jobs are listed for operators by organisation and state', async () => {
  await handIn('job-2');
  const listed = await command(dataDir, 'jobs', 'list');
  assert.match(listed, /^job-2 +default +queued/m);
  assert.match(listed, /^job-1 +default +cancelled/m);
  const queued = await command(
    dataDir,
    'jobs',
    'list',
    '--org',
    'default',
    '--status',
    'queued',
    '--json',
  );
  assert.deepEqual(
    rowsOf(JSON.parse(queued)).map((row) => valueAt(row, 'id')),
    ['job-2'],
  );
  assert.equal(
    await command(dataDir, 'jobs', 'list', '--status', 'failed'),
    'There are no such jobs.',
  );
  await assert.rejects(command(dataDir, 'jobs', 'list', '--org', 'x'), /no organisation x/);
  await assert.rejects(command(dataDir, 'jobs', 'list', '--status', 'x'), /must be one of queued/);
});

test('a page of jobs has at most 256 KiB of metadata, and `jobs list` reads the next pages', async () => {
  const rig = await openAdminRig();
  try {
    const created = await rig.call('POST', '/admin/orgs/default/keys', { body: {} });
    const key = textAt(created.body, 'key');
    const metadata = { text: 'x'.repeat(16_000) };
    for (let index = 0; index < 40; index += 1) {
      const body = { id: `job-${index}`, prompt: 'Hello', provider: 'openai', metadata };
      const answer = await rig.call('POST', '/v1/jobs', { key, body });
      assert.equal(answer.status, 202, answer.text);
      const path = `/v1/jobs/job-${index}`;
      assert.equal((await rig.call('DELETE', path, { key })).status, 200);
    }
    for (const query of ['', '&org=default', '&status=cancelled']) {
      const page = await rig.call('GET', `/admin/jobs?limit=100${query}`);
      assert.ok(page.text.length < 300 * 1024, `${query}: ${page.text.length} bytes`);
      assert.equal(typeof valueAt(page.body, 'nextCursor'), 'string');
      const flags = query === '&status=cancelled' ? ['--status', 'cancelled'] : [];
      const args = ['jobs', 'list', '--limit', '35', '--json', ...flags];
      const listed = rowsOf(JSON.parse(await command(rig.dataDir, ...args)));
      assert.deepEqual(
        listed.map((row) => valueAt(row, 'id')),
        Array.from({ length: 35 }, (_, index) => `job-${39 - index}`),
      );
    }
  } finally {
    await rig.close();
  }
});

test('with a running server the same commands call it', async () => {
  const rig = await openAdminRig();
  try {
    assert.equal(await command(rig.dataDir, 'dlq', 'list'), 'There are no dead letters.');
    assert.equal(await command(rig.dataDir, 'dlq', 'retry', '--all'), 'Retried: 0.');
    await assert.rejects(command(rig.dataDir, 'dlq', 'purge', 'x'), /There is no dead letter x/);
    assert.equal(await command(rig.dataDir, 'jobs', 'list'), 'There are no such jobs.');
    await assert.rejects(command(rig.dataDir, 'jobs', 'cancel', 'x'), /has no job x/);
  } finally {
    await rig.close();
  }
});
