// The operator commands, with and without a running server: as child processes where the process matters,
// else in this process through the same registered commands.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { openDataFolder } from '../../../src/adapters/files/data-folder.ts';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, openAdminRig } from './admin-rig.ts';
import { runCommand as command } from './run-command.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');
const MAX_RUN_MS = 60_000;
/** A pid that cannot exist: the system's limit is far lower. */
const IMPOSSIBLE_PID = 2 ** 30;

let rig: AdminRig;
let emptyDir: string;
before(async () => {
  rig = await openAdminRig();
  emptyDir = mkdtempSync(join(tmpdir(), 'spillway-cli-'));
});
after(async () => {
  await rig.close();
  rmSync(emptyDir, { recursive: true });
});

type Run = { readonly code: number | null; readonly out: string; readonly err: string };

/** Passes only the given environment; a command that hangs fails the test. */
function spillway(dataDir: string, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], SPILLWAY_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_RUN_MS,
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code, out, err }));
  });
}

async function answerOf(dataDir: string, ...args: string[]): Promise<unknown> {
  return JSON.parse(await command(dataDir, [...args, '--json']));
}

test('commands change a running server immediately', async () => {
  const created = await spillway(rig.dataDir, 'orgs', 'create', 'acme', '--budget=12.50', '--json');
  assert.equal(created.code, 0, created.err);
  const { body } = await rig.call('GET', '/admin/orgs/acme');
  assert.deepEqual(JSON.parse(created.out), body);
  assert.partialDeepStrictEqual(body, { id: 'acme', monthlyBudgetUsd: 12.5 });

  const made = await spillway(rig.dataDir, 'keys', 'create', '--org', 'acme', '--scope', 'call');
  const key = /sk-spill-\w+/.exec(made.out)?.[0];
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 200);
  const id = /key_\w+/.exec(made.out)?.[0] ?? '';
  const revoked = await spillway(rig.dataDir, 'keys', 'revoke', '--org', 'acme', id);
  assert.equal(revoked.out, `${id} is revoked.\n`);
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 401);
});

test('orgs delete revokes the keys at the server; repeated, it reports an unknown organisation', async () => {
  await answerOf(rig.dataDir, 'orgs', 'create', 'short-lived');
  const made = await spillway(rig.dataDir, 'keys', 'create', '--org', 'short-lived');
  const key = /sk-spill-\w+/.exec(made.out)?.[0];
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 200);
  const deleted = await spillway(rig.dataDir, 'orgs', 'delete', 'short-lived');
  assert.equal(deleted.out, 'short-lived is deleted.\n');
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 401);
  const again = await spillway(rig.dataDir, 'orgs', 'delete', 'short-lived');
  assert.equal(again.err, 'There is no organisation short-lived.\n');
  const refused = await spillway(rig.dataDir, 'orgs', 'delete', 'default', '--force');
  assert.match(refused.err, /^The organisation default cannot be deleted: /);
});

test('without a server, or with the address file of a dead one, commands open the store', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-offline-'));
  try {
    const dead = { url: rig.url, pid: IMPOSSIBLE_PID };
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify(dead), { mode: 0o600 });
    const created = await spillway(dataDir, 'orgs', 'create', 'offline', '--time-zone=Asia/Tokyo');
    assert.equal(created.code, 0, created.err);
    await answerOf(dataDir, 'orgs', 'set', 'offline', '--rpm', '7', '--message', 'NOT_FOUND=Gone.');
    await answerOf(dataDir, 'orgs', 'set', 'offline', '--tpm', '5', '--locale', 'tr');
    await answerOf(dataDir, 'orgs', 'set', 'offline', '--tpm', 'none', '--locale', 'none');
    const listed = await spillway(dataDir, 'orgs', 'list', '--json');
    assert.partialDeepStrictEqual(
      rowsOf(JSON.parse(listed.out)).find((row) => valueAt(row, 'id') === 'offline'),
      {
        requestsPerMinute: 7,
        tokensPerMinute: null,
        locale: null,
        timeZone: 'Asia/Tokyo',
        messages: { NOT_FOUND: 'Gone.' },
      },
    );
    const made = await answerOf(dataDir, 'keys', 'create', '--org', 'offline');
    const keys = rowsOf(await answerOf(dataDir, 'keys', 'list', '--org', 'offline'));
    assert.equal(valueAt(keys[0], 'id'), textAt(made, 'id'));
    assert.deepEqual(rowsOf(await answerOf(dataDir, 'limits', 'list')), []);
    assert.ok(!(await rig.call('GET', '/admin/orgs')).text.includes('offline'));
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('a failed command prints one sentence to stderr and exits with a non-zero code', async () => {
  const { code, out, err } = await spillway(rig.dataDir, 'keys', 'list', '--org', 'nobody');
  assert.deepEqual(
    { code, out, err },
    {
      code: 1,
      out: '',
      err: 'There is no organisation nobody; create it with: spillway orgs create nobody\n',
    },
  );
});

test('migrate reports the migrations it ran, then that none is pending', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-migrate-'));
  try {
    const first = await command(dataDir, ['migrate']);
    assert.match(first, /Run now: 0001_baseline/);
    assert.deepEqual(await answerOf(dataDir, 'migrate'), { run: [] });
    assert.match(await command(rig.dataDir, ['migrate']), /ran all migrations when it started/);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('a limit set by a command applies in the server until it is cleared there', async () => {
  const until = Date.now() + 600_000;
  const place = ['gemini', 'us-east'];
  await answerOf(rig.dataDir, 'limits', 'set', ...place, '--until', new Date(until).toISOString());
  const held = { provider: 'gemini', resetAt: until, kind: 'manual' };
  assert.partialDeepStrictEqual(rowsOf(await answerOf(rig.dataDir, 'limits', 'list')), [held]);
  assert.match(
    await command(rig.dataDir, ['limits', 'list']),
    /^PROVIDER .*\ngemini +us-east +all/,
  );
  await answerOf(rig.dataDir, 'limits', 'clear', ...place);
  assert.deepEqual(rowsOf((await rig.call('GET', '/admin/limits')).body), []);
});

test('doctor reports a running server as ready', async () => {
  assert.match(await command(rig.dataDir, ['doctor']), /^✔ server .* is ready\.$/m);
});

test('HOST, PORT and the admin key are sufficient to find a server', async () => {
  const env = { PORT: new URL(rig.url).port, SPILLWAY_ADMIN_KEY: rig.gateway.identity.adminKey };
  assert.match(await command(emptyDir, ['orgs', 'list'], env), /^acme /m);
  await assert.rejects(
    command(emptyDir, ['orgs', 'list'], {
      ...env,
      SPILLWAY_ADMIN_KEY: 'not-the-one-but-of-32-characters-too',
    }),
    { message: /^The server on http\S+ refuses this key; set SPILLWAY_ADMIN_KEY/ },
  );
});

test('an impossible command fails with its own message', async () => {
  const failures: readonly (readonly [RegExp, ...string[]])[] = [
    [/^There is already an organisation default, or there was one\.$/, 'orgs', 'create', 'default'],
    [/^There is no organisation nobody\.$/, 'orgs', 'set', 'nobody', '--rpm', '1'],
    [
      /^The value of timeZone is not allowed; it must be an IANA time zone/,
      'orgs',
      'set',
      'default',
      '--time-zone',
      'Mars',
    ],
    [
      /^The value of messages\.X is not allowed; .* one of .*AI_LIMIT_REACHED/,
      'orgs',
      'set',
      'default',
      '--message',
      'X=y',
    ],
    [/^Give at least one option/, 'orgs', 'set', 'default'],
    [/^default has no key key_x\.$/, 'keys', 'revoke', '--org', 'default', 'key_x'],
    [
      /It must be one of call, jobs, events, limits:report, metrics/,
      'keys',
      'create',
      '--org',
      'default',
      '--scope',
      'all',
    ],
    [/32 days ahead/, 'limits', 'set', 'openai', 'us-east', '--until', '5'],
    [/^There is no provider nobody/, 'limits', 'clear', 'nobody', 'us-east'],
    [/ISO time/, 'limits', 'set', 'openai', 'us-east', '--until', 'tomorrow'],
    [/--org/, 'keys', 'list'],
  ];
  for (const [message, ...args] of failures)
    await assert.rejects(command(rig.dataDir, args), { message }, args.join(' '));
  await assert.rejects(
    command(emptyDir, ['limits', 'set', 'openai', 'us-east', '--until', '5']),
    /No server is running/,
  );
  const env = {
    DATABASE_URL: 'postgres://x@127.0.0.1:9/x',
    SPILLWAY_ADMIN_KEY: 'some-admin-key-of-32-or-more-letters',
  };
  await assert.rejects(command(emptyDir, ['orgs', 'list'], env), /PostgreSQL at 127/);
  await assert.rejects(command(emptyDir, ['migrate'], env), /PostgreSQL/);
});

test('while an unresponsive server holds the folder, commands do not open the store', async () => {
  const folder = openDataFolder(rig.dataDir);
  const announced = folder.runningServer();
  assert.ok(announced);
  folder.announce({ ...announced, url: 'http://127.0.0.1:9' });
  await assert.rejects(command(rig.dataDir, ['orgs', 'list']), {
    message: new RegExp(`is in use by another Spillway \\(process ${process.pid}\\)`),
  });
  folder.announce(announced);
});
