// Jobs of a provider with two accounts in two regions, the first at a usage limit: the second serves all jobs, at
// its own limit, whether callers submit them or another system publishes them to the raw queue. The simulator counts per
// key and is the judge.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { mostWithin } from '../../../src/simulator/scenario/peak-window.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { hashCredential } from '../../../src/simulator/truth/digest.ts';
import type { TruthEntry } from '../../../src/simulator/truth/truth-entry.ts';
import { until } from '../../support/budgets/money-cluster.ts';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { openRabbitRig } from '../../support/stores/rabbit-rig.ts';

const JOBS = 40;
const PER_WINDOW = 10;
const WINDOW_MS = 1000;
const LIMITED_KEY = 'groq-key-limited';
const FREE_KEY = 'groq-key-free';

const API_KEY = 'a-key-for-tests-0123456789';
const ADMIN_KEY = 'an-admin-key-for-tests-0123456789abcdef';

type Site = { readonly url: string; readonly simulator: Simulator };

/**
 * A server in a separate process on embedded storage, and the simulator: the first account has used up its plan for an hour,
 * the second has a real limit.
 */
async function openSite(
  context: TestContext,
  queue: string,
  env: Record<string, string> = {},
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-accounts-'));
  const simulator = await startSimulator({ clock: systemClock });
  simulator.setScenario([
    { key: LIMITED_KEY, fault: 'usage-limit', resetInSeconds: 3600 },
    { key: FREE_KEY, rateLimit: { requestsPerMinute: PER_WINDOW, windowMs: WINDOW_MS } },
  ]);
  const file = join(folder, 'spillway.yaml');
  writeFileSync(file, configuration(simulator.url, queue));
  const server = runSpillway(['serve', '--config', file], {
    SPILLWAY_DATA_DIR: folder,
    SPILLWAY_API_KEY: API_KEY,
    SPILLWAY_ADMIN_KEY: ADMIN_KEY,
    LOG_LEVEL: 'critical',
    WORKER_CONCURRENCY: '8',
    ...env,
  });
  context.after(async () => {
    server.kill('SIGTERM');
    await server.ended();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await server.ready();
  await raiseLimits(url, ADMIN_KEY);
  return { url, simulator };
}

function configuration(simulatorUrl: string, queue: string): string {
  return `
server: { drainTimeoutMs: 5s }
providers:
  groq:
    baseUrl: ${simulatorUrl}/groq/v1
    apiKey: ${LIMITED_KEY}
    models: [llama-*]
    defaultModel: llama-3.3-70b-versatile
    requestsPerMinute: ${PER_WINDOW}
    windowMs: ${WINDOW_MS}
    limitGuardMs: 1s
    queue: ${queue}
    accounts:
      - { name: second, apiKey: ${FREE_KEY}, region: eu-west }
`;
}

function callsWith({ simulator }: Site, key: string): readonly TruthEntry[] {
  const hash = hashCredential(key);
  return simulator.log().filter(({ credentialHash }) => credentialHash === hash);
}

/** All jobs were served by the second account within its limit, and the first was asked only until its limit was known. */
function assertServedBySecond(site: Site): void {
  const served = callsWith(site, FREE_KEY);
  assert.equal(served.filter(({ status }) => status === 200).length, JOBS);
  assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
  const moments = served.map(({ startedAt }) => startedAt);
  assert.ok(mostWithin(moments, WINDOW_MS) <= PER_WINDOW);
  const refused = callsWith(site, LIMITED_KEY);
  assert.ok(refused.length <= 8, `${refused.length} calls with the limited account`);
}

test("callers' jobs are served by the account without a limit", async (context) => {
  const site = await openSite(context, 'groq-queue');
  const ids = await Promise.all(
    Array.from({ length: JOBS }, async () => {
      const job = { model: 'llama-3.3-70b-versatile', prompt: 'Hello' };
      return textAt(await call(site, 'POST', '/v1/jobs', job), 'id');
    }),
  );
  await until('all have succeeded', async () => {
    const states = await Promise.all(
      ids.map(async (id) => valueAt(await call(site, 'GET', `/v1/jobs/${id}`), 'status')),
    );
    return states.every((state) => state === 'succeeded');
  });
  assertServedBySecond(site);
});

test('messages of the raw queue are served by the account without a limit', async (context) => {
  const { rabbitmqUrl } = servicesFromEnv(process.env);
  const rig = await openRabbitRig(rabbitmqUrl);
  context.after(() => rig.close());
  const [raw, results, letters, groq] = ['raw', 'results', 'dlq', 'groq'].map(rig.name);
  const env = {
    RABBITMQ_URL: rabbitmqUrl,
    RAW_ANALYSIS_QUEUE: raw ?? '',
    RESULTS_QUEUE: results ?? '',
    DLQ_QUEUE: letters ?? '',
    ANTHROPIC_QUEUE: rig.name('anthropic'),
    OPENAI_QUEUE: rig.name('openai'),
    GEMINI_QUEUE: rig.name('gemini'),
    PROVIDER_FIXED: 'groq',
  };
  const site = await openSite(context, groq ?? '', env);
  for (let index = 0; index < JOBS; index += 1) {
    const body = JSON.stringify({ AnalysisId: `analysis-${index}`, prompt: 'Hello' });
    await rig.queue.publish(raw ?? '', { id: `analysis-${index}`, body });
  }
  await until('all have results', async () => {
    const { ready } = await rig.queue.depth(results ?? '');
    return ready === JOBS;
  });
  assertServedBySecond(site);
  assert.equal((await rig.queue.depth(letters ?? '')).ready, 0);
});

async function call({ url }: Site, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, String(response.status));
  return response.json();
}
