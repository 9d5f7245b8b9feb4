// Jobs that use an account's limit to the full. Every response of the provider then reports no headroom; that neither slows
// down jobs that come at the pace of the limit nor delays a job that has begun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostWithin } from '../../../src/simulator/scenario/peak-window.ts';
import { until } from '../../support/budgets/money-cluster.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';

const JOBS = 60;
const PER_WINDOW = 10;
const WINDOW_MS = 1000;
const FILE = `
providers: { anthropic: { windowMs: ${WINDOW_MS}, limitGuardMs: 250 } }
`;

test('jobs that wait for a limit each begin once, though the provider reports no headroom', async (context) => {
  const env = { ANTHROPIC_RATE_LIMIT: String(PER_WINDOW), WORKER_CONCURRENCY: '8' };
  const gateway = await startTestGateway(env, () => FILE);
  context.after(() => gateway.close());
  const { simulator } = gateway;
  simulator.setScenario({ rateLimit: { requestsPerMinute: PER_WINDOW, windowMs: WINDOW_MS } });
  const ids = await Promise.all(Array.from({ length: JOBS }, () => submit()));
  await until('all have been called', () => simulator.log().length >= JOBS);
  await until('all have ended', async () => (await Promise.all(ids.map(stateOf))).every(hasEnded));

  const begun = await Promise.all(ids.map(timesBegun));
  assert.deepEqual(
    begun,
    Array.from({ length: JOBS }, () => 1),
  );
  const calls = simulator.log();
  assert.deepEqual(new Set(calls.map(({ status }) => status)), new Set([200]));
  const moments = calls.map(({ startedAt }) => startedAt);
  assert.ok(mostWithin(moments, WINDOW_MS) <= PER_WINDOW);

  async function submit(): Promise<string> {
    const job = { model: 'claude-sonnet-4-5', prompt: 'Hello' };
    const { id } = await call<{ id: string }>('POST', '/v1/jobs', job);
    return id;
  }

  async function stateOf(id: string): Promise<string> {
    return (await call<{ status: string }>('GET', `/v1/jobs/${id}`)).status;
  }

  async function timesBegun(id: string): Promise<number> {
    const path = `/v1/jobs/${id}/events`;
    const { data } = await call<{ data: readonly { type: string }[] }>('GET', path);
    return data.filter(({ type }) => type === 'running').length;
  }

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'x-api-key': gateway.apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(response.ok, String(response.status));
    return (await response.json()) as T;
  }
});

function hasEnded(state: string): boolean {
  return state === 'succeeded';
}
