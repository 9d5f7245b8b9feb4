// Each engine is killed and restarted, and frozen, under a steady load of requests and jobs: no process
// exits, no request hangs, and service recovers soon after the engine's return. The engines belong to this
// test.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import type { Services } from '../../support/services/services.ts';
import { startServices } from '../../support/services/start-services.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const MODEL = 'claude-sonnet-5-5';
const FROZEN_MS = 20_000;
/** Longer than every timeout on the way; a request that takes this long hangs. */
const HANG_TIMEOUT_MS = 30_000;
const WELL_AGAIN_MS = 10_000;
const TRICKLE_MS = 200;

suite('engines that fail under a cluster', { timeout: 600_000 }, () => {
  let services: Services;
  let cluster: TestCluster;
  let url: string;
  const processes: SpillwayProcess[] = [];

  const folder = makeTempFolder();

  before(async () => {
    const { PATH } = process.env;
    services = await startServices({ env: { PATH }, log: () => {} });
    // Refusals here must come from a failing engine, not from a limit.
    const env = { LOG_LEVEL: 'error', ANTHROPIC_RATE_LIMIT: '1000000' };
    cluster = await openTestCluster(services, folder, env);
    const gateway = await cluster.start(['gateway']);
    const dispatcher = await cluster.start(['dispatcher']);
    const worker = await cluster.start(['worker', '--provider', 'anthropic']);
    url = gateway.url;
    await raiseLimits(url, cluster.adminKey);
    processes.push(gateway.process, dispatcher.process, worker.process);
  });
  after(async () => {
    await cluster.close();
    await services.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const name of ['redis', 'rabbitmq', 'postgres'] as const) {
    test(`${name} is killed and restarted`, async () => {
      await underLoad(async () => {
        await services[name].kill('SIGKILL');
        await pause(2000);
        await services[name].restart();
      });
    });

    test(`${name} is frozen for 20 s`, async () => {
      await underLoad(async () => {
        await services[name].freeze();
        await pause(FROZEN_MS);
        await services[name].thaw();
      });
    });
  }

  /** Requests and jobs continue while `disturb` runs; every accepted one must succeed. */
  async function underLoad(disturb: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const accepted: string[] = [];
    const trickle = (async () => {
      while (!over.signal.aborted) {
        await Promise.all([call(), submit().then((id) => id !== undefined && accepted.push(id))]);
        await pause(TRICKLE_MS);
      }
    })();
    try {
      await disturb();
      await recovers();
    } finally {
      over.abort();
      await trickle;
    }
    for (const id of accepted) assert.equal(await finalStatus(id), 'succeeded', id);
    for (const each of processes) assert.equal(isAlive(each.pid), true, each.errors());
  }

  /** Fails if a request or a job still fails ten seconds after the engine's return. */
  async function recovers(): Promise<void> {
    const deadline = AbortSignal.timeout(WELL_AGAIN_MS);
    for (;;) {
      const [status, id] = await Promise.all([call(), submit()]);
      if (status === 200 && id !== undefined) return;
      deadline.throwIfAborted();
      await pause(TRICKLE_MS);
    }
  }

  /** The status; a request that hangs fails the test. */
  async function call(): Promise<number> {
    const body = { model: MODEL, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
    const response = await send('/v1/messages', body);
    await response.arrayBuffer();
    return response.status;
  }

  async function submit(): Promise<string | undefined> {
    const response = await send('/v1/jobs', { prompt: 'Hello', model: MODEL });
    const answer: unknown = await response.json();
    if (response.status !== 202 || typeof answer !== 'object' || answer === null) return undefined;
    return String(Reflect.get(answer, 'id'));
  }

  async function finalStatus(id: string): Promise<string> {
    for (;;) {
      const response = await send(`/v1/jobs/${id}`);
      const answer: unknown = await response.json();
      const status =
        typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'status') : '';
      if (!['queued', 'delayed', 'running'].includes(String(status))) return String(status);
      await pause(100);
    }
  }

  function send(path: string, body?: unknown): Promise<Response> {
    return fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${cluster.apiKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(HANG_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
