// The first start of Spillway as a user and as an operator see it: whole processes, real signals.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import {
  finishSpillway,
  runSpillway,
  type SpillwayProcess,
} from '../../support/gateway/spillway-process.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const run = promisify(execFile);

suite('spillway serve', () => {
  test('becomes ready without configuration and prints a working curl command', async (context) => {
    const { spillway } = await serve(context);
    assertWorks(await runCurl(spillway));
    assert.match(spillway.output(), /Dashboard +http/);
    assert.match(spillway.output(), /Data +\//);
  });

  test('prints a generated key once, and only its place afterwards', async (context) => {
    const { spillway, dataDir } = await serve(context);
    const [key, adminKey] = ['api-key', 'admin-key'].map((name) =>
      readFileSync(join(dataDir, name), 'utf8').trim(),
    );
    assert.ok(key && adminKey && adminKey.length >= 32);
    assert.ok(spillway.output().includes(key));
    assert.ok(!spillway.output().includes(adminKey));
    spillway.kill('SIGTERM');
    await spillway.ended();
    const again = await serve(context, dataDir);
    assert.ok(!again.spillway.output().includes(key));
    assert.match(again.spillway.output(), /API key +stored in \S+api-key/);
    assertWorks(await runCurl(again.spillway));
  });

  test('prints no configured key', async (context) => {
    const SPILLWAY_API_KEY = 'a-configured-key-0123456789';
    const SPILLWAY_ADMIN_KEY = 'a-configured-admin-key-0123456789abc';
    const env = { SPILLWAY_API_KEY, SPILLWAY_ADMIN_KEY };
    const { spillway } = await serve(context, tempFolder(context), env);
    for (const key of Object.values(env)) assert.ok(!spillway.output().includes(key));
    assertWorks(await runCurl(spillway, env));
  });

  test('exits cleanly on Ctrl-C and unlocks its folder', async (context) => {
    const { spillway, dataDir } = await serve(context);
    spillway.kill('SIGINT');
    assert.deepEqual(await spillway.ended(), { code: 0, signal: null });
    assert.equal(existsSync(join(dataDir, 'server.json')), false);
    assert.doesNotMatch(spillway.errors(), /\n\s+at /);
    await serve(context, dataDir);
  });

  test('exits even if its folder was removed', async (context) => {
    const { spillway, dataDir } = await serve(context);
    rmSync(dataDir, { recursive: true, force: true });
    spillway.kill('SIGTERM');
    assert.deepEqual(await spillway.ended(), { code: 0, signal: null });
  });

  test('keeps its generated secrets readable only by the owner', async (context) => {
    const { dataDir } = await serve(context);
    for (const name of ['admin-key', 'api-key', 'spillway.db']) {
      assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, name);
    }
  });

  test('restarts after kill -9 with every acknowledged change', async (context) => {
    const { spillway, url, dataDir } = await serve(context);
    const key = apiKey(dataDir);
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submitJob(url, key, index)),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => callModel(url, key)));
    spillway.kill('SIGKILL');
    await spillway.ended();

    const again = await serve(context, dataDir);
    for (const id of ids) assert.equal(await finalStatus(again.url, key, id), 'succeeded');
    const calls = await usageWhen(again.url, key, answers.length + ids.length);
    assert.ok(calls >= answers.length + ids.length, `every call is accounted, saw ${calls}`);
  });

  test('refuses a data folder that another process uses', async (context) => {
    const { dataDir, spillway } = await serve(context);
    const second = await finishSpillway(['serve'], { SPILLWAY_DATA_DIR: dataDir });
    assert.equal(second.code, 1);
    assertOneSentence(
      second.errors,
      new RegExp(`in use by another Spillway \\(process ${spillway.pid}\\)`),
    );
  });

  test('reports a port in use', async (context) => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    context.after(() => server.close());
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const ended = await finishSpillway(['serve'], {
      SPILLWAY_DATA_DIR: tempFolder(context),
      PORT: String(address.port),
    });
    assert.equal(ended.code, 1);
    assertOneSentence(ended.errors, /in use by another program.*PORT/);
  });

  test('listens on an IPv6 address, with and without brackets, and prints its URL in brackets', async (context) => {
    for (const HOST of ['[::1]', '::1']) {
      const { spillway, url } = await serve(context, tempFolder(context), { HOST });
      assert.match(url, /^http:\/\/\[::1\]:\d+$/);
      assertWorks(await runCurl(spillway));
      const ended = await finishSpillway(['serve'], {
        SPILLWAY_DATA_DIR: tempFolder(context),
        HOST,
        PORT: new URL(url).port,
      });
      assertOneSentence(ended.errors, /http:\/\/\[::1\]:\d+ is in use/);
    }
  });

  test('reports a folder that is not writable', async () => {
    const ended = await finishSpillway(['serve'], { SPILLWAY_DATA_DIR: '/proc/spillway' });
    assert.equal(ended.code, 1);
    assertOneSentence(ended.errors, /cannot be written.*SPILLWAY_DATA_DIR/);
  });

  test('reports an invalid configuration and exits with code 2', async (context) => {
    const SPILLWAY_DATA_DIR = tempFolder(context);
    const cases: [Record<string, string>, RegExp][] = [
      [{ PORT: 'many' }, /PORT.*many/],
      [{ HOST: '0.0.0.0' }, /HOST.*0\.0\.0\.0.*provider key/],
      [{ SPILLWAY_API_KEY: 'short' }, /SPILLWAY_API_KEY.*20/],
      [{ SPILLWAY_ADMIN_KEY: 'k'.repeat(31) }, /SPILLWAY_ADMIN_KEY.*32 or more/],
      [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL.*loud/],
    ];
    for (const [env, sentence] of cases) {
      const ended = await finishSpillway(['serve'], { SPILLWAY_DATA_DIR, ...env });
      assert.equal(ended.code, 2, JSON.stringify(env));
      assertOneSentence(ended.errors, sentence);
    }
  });

  test('answers an unknown command with a hint to --help', async () => {
    const ended = await finishSpillway(['srve']);
    assert.equal(ended.code, 2);
    assert.doesNotMatch(ended.errors, /\n\s+at /);
  });
});

/** Runs the printed command as a user would paste it. */
async function runCurl(spillway: SpillwayProcess, env = {}): Promise<unknown> {
  const command = /^ {2}curl [\s\S]*?}'$/m.exec(spillway.output())?.[0];
  assert.ok(command, 'a curl command is printed');
  const line = `${command.replaceAll('\\\n', ' ')} --silent --fail`;
  const { stdout } = await run('bash', ['-c', line], { env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

function assertWorks(answer: unknown): void {
  assert.ok(typeof answer === 'object' && answer !== null && 'content' in answer);
}

async function serve(
  context: TestContext,
  dataDir = tempFolder(context),
  env: Record<string, string> = {},
) {
  const spillway = runSpillway(['serve'], { SPILLWAY_DATA_DIR: dataDir, ...env });
  context.after(async () => {
    spillway.kill('SIGKILL');
    await spillway.ended();
  });
  return { spillway, dataDir, url: await spillway.ready() };
}

function apiKey(dataDir: string): string {
  return readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
}

async function submitJob(url: string, key: string, index: number): Promise<string> {
  const answer = await send(url, '/v1/jobs', key, { prompt: `Job ${index}`, model: 'gpt-5-mini' });
  assert.equal(answer.status, 202);
  return String(Reflect.get(answer.body, 'id'));
}

async function callModel(url: string, key: string): Promise<void> {
  const answer = await send(url, '/v1/messages', key, {
    model: 'claude-sonnet-5-5',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  assert.equal(answer.status, 200);
}

/** Polls over HTTP, as a caller would; a job ends by itself. */
async function finalStatus(url: string, key: string, id: string): Promise<string> {
  for (;;) {
    const { body } = await send(url, `/v1/jobs/${id}`, key);
    const status = String(Reflect.get(body, 'status'));
    if (!['queued', 'delayed', 'running'].includes(status)) return status;
  }
}

async function usageWhen(url: string, key: string, atLeast: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const { body } = await send(url, '/v1/usage', key);
    const attempts = Number(Reflect.get(Reflect.get(body, 'total'), 'attempts'));
    if (attempts >= atLeast || tries > 500) return attempts;
  }
}

async function send(url: string, path: string, key: string, body?: unknown) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  assert.ok(typeof answer === 'object' && answer !== null);
  return { status: response.status, body: answer };
}

function assertOneSentence(text: string, pattern: RegExp): void {
  assert.match(text, pattern);
  assert.equal(text.trim().split('\n').length, 1, text);
}
