// Clearing a limit brings forward the jobs that wait for it: on embedded storage, and on RabbitMQ while its delay
// queues contain the messages with the former due times.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { administer, ask, type Caller } from '../../support/gateway/call-rig.ts';
import { openTestCluster } from '../../support/gateway/test-cluster.ts';
import { valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { openAdminRig } from '../admin/admin-rig.ts';

type Operator = { readonly url: string; readonly adminKey: string };

const HOUR_MS = 3_600_000;
const CLAUDE = 'claude-haiku-4-5';
const GEMINI = 'gemini-2.5-flash';

async function clearsAndRuns(caller: Caller, operator: Operator, region: string): Promise<void> {
  const resetAt = Date.now() + HOUR_MS;
  for (const provider of ['anthropic', 'gemini'])
    await administer(operator, 'PUT', `/admin/limits/${provider}/${region}`, { resetAt });
  const waiting = [await submit(caller, CLAUDE), await submit(caller, CLAUDE)];
  const other = await submit(caller, GEMINI);
  for (const id of [...waiting, other])
    await until(async () => (await jobOf(operator, id))['status'] === 'delayed');

  await administer(operator, 'DELETE', `/admin/limits/anthropic/${region}`);
  for (const id of waiting)
    await until(async () => (await jobOf(operator, id))['status'] === 'succeeded');
  const left = await jobOf(operator, other);
  assert.equal(left['status'], 'delayed');
  assert.ok(Math.abs(Number(left['dueAt']) - resetAt) < HOUR_MS / 2, 'its due time is unchanged');
}

async function submit(caller: Caller, model: string): Promise<string> {
  const answer = await ask(caller, { path: '/v1/jobs', body: { model, prompt: 'Hello' } });
  assert.equal(answer.status, 202);
  return String(valueAt(JSON.parse(answer.text), 'id'));
}

function jobOf(operator: Operator, id: string): Promise<Readonly<Record<string, unknown>>> {
  return administer(operator, 'GET', `/admin/jobs/${id}`);
}

test('jobs on embedded storage run soon after their limit is cleared', async () => {
  const rig = await openAdminRig();
  try {
    const { url, dataDir, gateway } = rig;
    const apiKey = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
    await clearsAndRuns({ url, apiKey }, { url, adminKey: gateway.identity.adminKey }, 'us-east');
  } finally {
    await rig.close();
  }
});

test('jobs in the delay queues of RabbitMQ run soon after their limit is cleared', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
  const cluster = await openTestCluster(servicesFromEnv(process.env), folder);
  try {
    const { url } = await cluster.start(['serve']);
    const { apiKey, adminKey, env } = cluster;
    await clearsAndRuns({ url, apiKey }, { url, adminKey }, String(env['SERVER_REGION']));
  } finally {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
