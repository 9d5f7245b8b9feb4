import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Command } from 'commander';
import { z } from 'zod';
import { CliFailure } from '../command.ts';
import { checkRuntime } from '../doctor/runtime.ts';
import { silentProgress } from '../progress.ts';
import { registerDoctor } from './doctor.ts';

const FOLDERS: string[] = [];
after(() => {
  for (const folder of FOLDERS) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-doctor-'));
  FOLDERS.push(folder);
  return folder;
}

type Run = { readonly printed: string; readonly failure: unknown };

async function run(folder: string, env: Record<string, string>, ...args: string[]): Promise<Run> {
  let printed = '';
  const program = new Command().exitOverride();
  registerDoctor(program, {
    env: { SPILLWAY_DATA_DIR: folder, PORT: '0', ...env },
    cwd: folder,
    isStdinTerminal: false,
    progress: silentProgress,
    out: (text) => {
      printed += text;
    },
    err: () => {},
    readStdin: () => Promise.resolve(''),
  });
  const failure = await program.parseAsync(['doctor', ...args], { from: 'user' }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { printed, failure };
}

const report = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      sentence: z.string(),
      mend: z.string().optional(),
    }),
  ),
});

async function verdictOf(name: string, folder: string, env: Record<string, string> = {}) {
  const { printed, failure } = await run(folder, env, '--json');
  const { ok, checks } = report.parse(JSON.parse(printed));
  assert.equal(failure instanceof CliFailure, !ok);
  assert.equal(ok, !checks.some(({ status }) => status === 'failed'));
  for (const check of checks) assert.equal(check.mend === undefined, check.status === 'ok');
  const found = checks.find((check) => check.name === name);
  assert.ok(found, `no check ${name}`);
  return found;
}

test('an installation that was never started passes all checks', async () => {
  const { printed, failure } = await run(join(newFolder(), 'new'), {});
  assert.equal(failure, undefined);
  assert.doesNotMatch(printed, /warning|failed/);
  assert.match(printed, /^✔ data folder .* does not exist yet; the first start creates it\.$/m);
  assert.match(printed, /^✔ providers .*uses the built-in simulator\.$/m);
});

test('an invalid configuration is a failed check and exit code 1', async () => {
  const { printed, failure } = await run(newFolder(), { PORT: 'x' });
  assert.match(printed, /✖ configuration failed: PORT is "x", but it must be/);
  assert.match(printed, /→ Correct it/);
  assert.ok(failure instanceof CliFailure && failure.exitCode === 1);
});

test('an old Node fails the check, and a new Node passes it', () => {
  assert.equal(checkRuntime('22.1.0').status, 'failed');
  assert.equal(checkRuntime('24.0.0').status, 'ok');
});

test('a secret readable by other users is reported with the chmod command', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'admin-key'), 'adm-spill-x', { mode: 0o600 });
  assert.equal((await verdictOf('data folder', folder)).status, 'ok');
  chmodSync(join(folder, 'admin-key'), 0o640);
  const { status, mend } = await verdictOf('data folder', folder);
  assert.equal(status, 'failed');
  assert.equal(mend, `chmod 600 ${join(folder, 'admin-key')}`);
});

test('a data folder that is a file or open to other users is reported', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  assert.equal((await verdictOf('data folder', join(folder, 'file'))).status, 'failed');
  chmodSync(folder, 0o755);
  assert.equal((await verdictOf('data folder', folder)).status, 'warning');
});

test('a port in use by another program is reported', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  const env = { PORT: String(address.port) };
  const { status, sentence } = await verdictOf('port', newFolder(), env);
  assert.equal(status, 'failed');
  assert.match(sentence, /another program/);
  await new Promise((resolve) => other.close(resolve));
  assert.equal((await verdictOf('port', newFolder(), env)).status, 'ok');
});

test('a file that is not a store is reported', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'spillway.db'), 'no database, but long enough to be taken for one?');
  const { status, sentence } = await verdictOf('store', folder);
  assert.equal(status, 'failed');
  assert.match(sentence, /cannot be read/);
});

test('a store with pending migrations is reported', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'spillway.db'), '');
  const { status, mend } = await verdictOf('store', folder);
  assert.equal(status, 'warning');
  assert.match(mend ?? '', /spillway migrate/);
});

test('usage records in the journal are counted', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'journal'));
  writeFileSync(join(folder, 'journal', '000000000001.jsonl'), '[1]\n[2]\n[3]\n');
  const { status, sentence } = await verdictOf('journal', folder);
  assert.equal(status, 'warning');
  assert.match(sentence, /records: 3/);
});

test('a clock behind stored timestamps is reported', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'server-id'), 'srv-1');
  assert.equal((await verdictOf('clock', folder)).status, 'ok');
  const tomorrow = new Date(Date.now() + 86_400_000);
  utimesSync(join(folder, 'server-id'), tomorrow, tomorrow);
  assert.equal((await verdictOf('clock', folder)).status, 'failed');
});

test('only a provider on loopback is contacted', async () => {
  const OPENAI_API_KEY = 'sk-0123456789abcdef0123456789';
  const far = await verdictOf('providers', newFolder(), { OPENAI_API_KEY });
  assert.match(far.sentence, /which was not contacted/);
  const near = await verdictOf('providers', newFolder(), {
    OPENAI_API_KEY,
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  });
  assert.equal(near.status, 'failed');
  const elsewhere = await verdictOf('providers', newFolder(), { HOST: '0.0.0.0' });
  assert.equal(elsewhere.status, 'failed');
});

test('the announcement of a dead process does not count as a server', async () => {
  const folder = newFolder();
  const announcement = { url: 'http://127.0.0.1:9', pid: 2 ** 30 };
  writeFileSync(join(folder, 'server.json'), JSON.stringify(announcement), { mode: 0o600 });
  assert.match((await verdictOf('server', folder)).sentence, /No server is running/);
  const mine = { ...announcement, pid: process.pid };
  writeFileSync(join(folder, 'server.json'), JSON.stringify(mine));
  assert.equal((await verdictOf('server', folder)).status, 'failed');
});
