// One cell of the table: a client on a failure, against the simulated provider itself and through a Spillway process in
// front of it. Each side has a provider, a Spillway, a home folder and a data folder of its own, so that no cell learns
// from another. The provider's truth log counts the calls.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/kernel/clock.ts';
import { startSimulator } from '../src/simulator/simulator.ts';
import type { Client, Endpoint, Sight } from './client.ts';
import type { Failure } from './failures.ts';
import { withSpillway } from './gateway-side.ts';
import { runProcess } from './run-process.ts';

export type Side = Omit<Sight, 'callSeconds'> & {
  readonly seconds: number;
  /** Without the start of the process: since the provider's first answer. */
  readonly secondsSinceAnswer?: number | undefined;
  readonly calls: number;
};

export type Cell = {
  readonly client: string;
  readonly kind: Client['kind'];
  readonly failure: string;
  /** More than one for a client that makes a single attempt. */
  readonly requests?: number | undefined;
  readonly direct: Side;
  readonly gateway: Side;
};

export type Conditions = { readonly cache: string };

export const TIME_LIMIT_MS = 60_000;

const MODEL_CALLS = ['messages', 'chat_completions', 'responses', 'generate_content'];

export async function measureCell(
  client: Client,
  failure: Failure,
  conditions: Conditions,
): Promise<Cell> {
  const direct = await measureSide(client, failure, conditions, (url, work) =>
    work({ url, apiKey: 'sk-direct-key' }),
  );
  const gateway = await measureSide(client, failure, conditions, (url, work, home) =>
    behindSpillway(url, failure, home, work),
  );
  const requests = requestsOf(client, failure);
  const { name, kind } = client;
  return { client: name, kind, failure: failure.name, requests, direct, gateway };
}

/**
 * One retry for a client that makes a single attempt doubles the calls of one request; whether it multiplies the calls of a
 * failing provider shows over several.
 */
const SINGLE_ATTEMPT_REQUESTS = 10;

function requestsOf({ isSingleAttempt = false }: Client, { isLong = false }: Failure): number {
  return isSingleAttempt && !isLong ? SINGLE_ATTEMPT_REQUESTS : 1;
}

type Work = (endpoint: Endpoint) => Promise<Side>;

async function measureSide(
  client: Client,
  failure: Failure,
  { cache }: Conditions,
  withEndpoint: (providerUrl: string, work: Work, folder: string) => Promise<Side>,
): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-client-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const provider = await startSimulator({ clock: systemClock });
  const modelCalls = () =>
    provider.log().filter(({ operation }) => MODEL_CALLS.includes(operation ?? ''));
  const work: Work = async (endpoint) => {
    const { model = client.model, isStream = false, timeLimitMs = TIME_LIMIT_MS } = failure;
    const requests = requestsOf(client, failure);
    const command = client.prepare({ endpoint, model, isStream, requests, home, cache });
    const startedAt = performance.now();
    const ended = await runProcess(command, home, timeLimitMs);
    const processSeconds = (performance.now() - startedAt) / 1000;
    const endedAt = systemClock.now();
    const { callSeconds: seconds = processSeconds, ...sight } = client.read(ended);
    const calls = modelCalls();
    const answeredAt = calls[0]?.finishedAt ?? undefined;
    const secondsSinceAnswer = answeredAt === undefined ? undefined : (endedAt - answeredAt) / 1000;
    return { ...sight, seconds, secondsSinceAnswer, calls: calls.length };
  };
  try {
    provider.setScenario(failure.scenario);
    return await withEndpoint(provider.url, work, folder);
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function behindSpillway(
  providerUrl: string,
  { isBudget = false }: Failure,
  folder: string,
  work: Work,
): Promise<Side> {
  return withSpillway(providerUrl, folder, async ({ endpoint, adminKey }) => {
    if (isBudget) await removeBudget(endpoint.url, adminKey);
    return work(endpoint);
  });
}

async function removeBudget(url: string, adminKey: string): Promise<void> {
  const answer = await fetch(`${url}/admin/orgs/default`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: '{"monthlyBudgetUsd":0}',
  });
  if (!answer.ok) throw new Error(`the budget cannot be set: ${answer.status}`);
}
