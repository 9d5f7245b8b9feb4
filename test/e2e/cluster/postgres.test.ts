// Server processes on PostgreSQL: the first start, sharing the store, and calls while it is unavailable. This
// file runs its own PostgreSQL, because it kills it.

import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { finishSpillway, runSpillway } from '../../support/gateway/spillway-process.ts';
import type { Services } from '../../support/services/services.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { startServices } from '../../support/services/start-services.ts';
import { createTestDatabase, runOn } from '../../support/stores/isolated-postgres.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const API_KEY = 'a-key-for-tests-0123456789';
const ADMIN_KEY = 'an-admin-key-for-tests-0123456789abcdef';

suite('spillway on PostgreSQL', { timeout: 180_000 }, () => {
  let services: Services;
  let simulator: Simulator;
  before(async () => {
    const env = { PATH: process.env['PATH'] };
    services = await startServices({ env, log: () => {}, wanted: ['postgres'] });
    simulator = await startSimulator({ clock: systemClock });
  });
  after(async () => {
    await simulator.close();
    await services.close();
  });

  async function environment(context: TestContext, databaseUrl: string) {
    return {
      DATABASE_URL: databaseUrl,
      SPILLWAY_DATA_DIR: tempFolder(context),
      SPILLWAY_ADMIN_KEY: ADMIN_KEY,
      SPILLWAY_API_KEY: API_KEY,
      OPENAI_API_KEY: 'simulated',
      OPENAI_BASE_URL: `${simulator.url}/v1`,
      LOG_LEVEL: 'critical',
    };
  }

  async function newDatabase(): Promise<string> {
    const options = { isMigrated: false, serverUrl: services.databaseUrl };
    return (await createTestDatabase('e2e', options)).url;
  }

  function serve(context: TestContext, env: Record<string, string>) {
    const spillway = runSpillway(['serve'], env);
    context.after(async () => {
      spillway.kill('SIGKILL');
      await spillway.ended();
    });
    return spillway;
  }

  test('a store with pending migrations is not served until they are allowed', async (context) => {
    const env = await environment(context, await newDatabase());
    const refused = await finishSpillway(['serve'], env);
    assert.equal(refused.code, 1);
    assertOneSentence(
      refused.errors,
      /is not up to date \(pending: 0001_baseline, .*functions\).*`spillway migrate`.*MIGRATE_ON_START/,
    );
    const migrated = await finishSpillway(['migrate'], env);
    assert.deepEqual([migrated.code, migrated.errors], [0, '']);
    assert.match(migrated.output, /0001_baseline/);
    const url = await serve(context, env).ready();
    const { status, body } = await send(url, '/v1/jobs', { prompt: 'Hello', model: 'gpt-5-mini' });
    assert.equal(status, 202);
    assert.equal(await finalStatus(url, String(Reflect.get(body, 'id'))), 'succeeded');
  });

  test('without Redis one process owns the store; after kill -9 the next takes it over with every accepted job', async (context) => {
    const databaseUrl = await newDatabase();
    const first = serve(context, {
      ...(await environment(context, databaseUrl)),
      MIGRATE_ON_START: 'true',
    });
    const url = await first.ready();
    const env = await environment(context, databaseUrl);
    const second = await finishSpillway(['serve'], env);
    assert.equal(second.code, 1);
    assertOneSentence(second.errors, /in use by another Spillway.*REDIS_URL/);
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { body } = await send(url, '/v1/jobs', { prompt: 'Hello', model: 'gpt-5-mini' });
        return String(Reflect.get(body, 'id'));
      }),
    );
    first.kill('SIGKILL');
    await first.ended();
    const again = await serve(context, env).ready();
    for (const id of ids) assert.equal(await finalStatus(again, id), 'succeeded');
  });

  test('servers that share a Redis share the store and its keys', async (context) => {
    const databaseUrl = await newDatabase();
    const { redisUrl } = servicesFromEnv(process.env);
    const name = uniqueName('store');
    const shared = {
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: `${name}:`,
      SERVER_REGION: name,
      MIGRATE_ON_START: 'true',
    };
    const envs = [
      { ...(await environment(context, databaseUrl)), ...shared },
      { ...(await environment(context, databaseUrl)), ...shared },
    ];
    const [first = '', second = ''] = await Promise.all(
      envs.map((env) => serve(context, env).ready()),
    );
    const made = await send(first, '/admin/orgs/default/keys', { name: 'shared' }, ADMIN_KEY);
    const key = String(Reflect.get(made.body, 'key'));
    const job = { prompt: 'Hello', model: 'gpt-5-mini' };
    const { status, body } = await send(second, '/v1/jobs', job, key);
    assert.equal(status, 202);
    assert.equal(await finalStatus(first, String(Reflect.get(body, 'id'))), 'succeeded');
  });

  test('while PostgreSQL is unavailable calls are served and jobs are refused; afterwards nothing is lost', async (context) => {
    const databaseUrl = await newDatabase();
    const env = await environment(context, databaseUrl);
    const url = await serve(context, { ...env, MIGRATE_ON_START: 'true' }).ready();
    await callModel(url);
    await untilReserved(databaseUrl);
    for (let call = 1; call < 5; call += 1) await callModel(url);
    await services.postgres.kill('SIGKILL');
    for (let call = 0; call < 5; call += 1) await callModel(url);
    const refused = await send(url, '/v1/jobs', { prompt: 'Hello', model: 'gpt-5-mini' });
    const unheard = await send(url, '/v1/jobs');
    for (const { status, body } of [refused, unheard]) {
      assert.equal(status, 503);
      assert.equal(Reflect.get(Reflect.get(body, 'error') ?? {}, 'code'), 'CAPACITY_EXHAUSTED');
    }
    await services.postgres.restart();
    const accepted = await untilAccepted(url);
    assert.equal(await finalStatus(url, accepted), 'succeeded');
    // Ten calls and the job's call, each counted once.
    assert.equal(await usageOf(url, 11), 11);
  });
});

async function callModel(url: string): Promise<void> {
  const { status } = await send(url, '/v1/chat/completions', {
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  assert.equal(status, 200);
}

/** Only callers with a call before the outage have an allotment for it. */
async function untilReserved(databaseUrl: string): Promise<void> {
  for (;;) {
    const [row] = await runOn(databaseUrl, 'select count(*) as n from spillway.budget_allotments');
    if (Number(row?.['n']) > 0) return;
    await delay(50);
  }
}

async function untilAccepted(url: string): Promise<string> {
  for (;;) {
    const { status, body } = await send(url, '/v1/jobs', { prompt: 'Hello', model: 'gpt-5-mini' });
    if (status === 202) return String(Reflect.get(body, 'id'));
    await delay(100);
  }
}

/** Polls over HTTP, as a caller would; a job ends by itself. */
async function finalStatus(url: string, id: string): Promise<string> {
  for (;;) {
    const { body } = await send(url, `/v1/jobs/${id}`);
    const status = String(Reflect.get(body, 'status'));
    if (!['queued', 'delayed', 'running'].includes(status)) return status;
    await delay(20);
  }
}

async function usageOf(url: string, atLeast: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const { body } = await send(url, '/v1/usage');
    const attempts = Number(Reflect.get(Reflect.get(body, 'total') ?? {}, 'attempts'));
    if (attempts >= atLeast || tries > 300) return attempts;
    await delay(50);
  }
}

async function send(url: string, path: string, body?: unknown, key = API_KEY) {
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
