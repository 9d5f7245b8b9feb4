// Many organisations that submit jobs over HTTP, optionally with a busy organisation that submits a hundred times as many jobs,
// and how long the quiet organisations' jobs waited from submission to start, by the API's timestamps. The provider's limit
// sets the rate, so that the waits do not depend on the machine.

import assert from 'node:assert/strict';
import { z } from 'zod';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { ask, type Caller, newTenant } from '../gateway/call-rig.ts';
import type { TestGateway } from '../gateway/test-gateway.ts';

const QUIET = 9;
const JOBS_EACH = 10;
const TIMES_AS_LOUD = 100;
const AT_ONCE = 16;
const LOOK_EVERY_MS = 500;
const MODEL = 'claude-sonnet-4-5';

/** At most ten a second: the quiet organisations alone need ten windows. */
export const CROWD_SETTINGS = JSON.stringify({
  providers: { anthropic: { windowMs: 1000, limitGuardMs: 100 } },
});
export const CROWD_ENV = { ANTHROPIC_RATE_LIMIT: '10', WORKER_CONCURRENCY: '8' };

const Page = z.object({
  data: z.array(z.object({ createdAt: z.number(), startedAt: z.number().optional() })),
});

type Gateway = Pick<TestGateway, 'url' | 'adminKey'>;

/** The median wait of the quiet organisations, with or without a busy one. */
export async function medianWaitMs(gateway: Gateway, { isLoud }: { isLoud: boolean }) {
  const rich = { requestsPerMinute: 1_000_000, monthlyBudgetUsd: 1_000_000 };
  const tenants = await Promise.all(
    Array.from({ length: QUIET + 1 }, () => newTenant(gateway, rich)),
  );
  const [loud, ...quiet] = tenants;
  assert.ok(loud);
  if (isLoud) await submitJobs([loud], JOBS_EACH * TIMES_AS_LOUD);
  await submitJobs(quiet, JOBS_EACH);
  const waits = (await allWaitsOf(quiet)).toSorted((a, b) => a - b);
  return waits[Math.floor(waits.length / 2)] ?? 0;
}

async function allWaitsOf(quiet: readonly Caller[]): Promise<number[]> {
  for (;;) {
    const waits = await waitsOf(quiet);
    if (waits.length === QUIET * JOBS_EACH) return waits;
    await sleep(systemClock, LOOK_EVERY_MS);
  }
}

/** Submits `count` jobs of each organisation, in turn, with a few concurrent requests. */
async function submitJobs(tenants: readonly Caller[], each: number): Promise<void> {
  const owners = Array.from({ length: each }, () => tenants).flat();
  let next = 0;
  const submitOn = async (): Promise<void> => {
    for (let owner = owners[next++]; owner; owner = owners[next++]) {
      const body = { prompt: 'Hello', model: MODEL };
      const answer = await ask(owner, { path: '/v1/jobs', body });
      assert.equal(answer.status, 202, answer.text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, submitOn));
}

/** The waits of started jobs. */
async function waitsOf(tenants: readonly Caller[]): Promise<number[]> {
  const pages = await Promise.all(
    tenants.map(async ({ url, apiKey }) => {
      const answer = await fetch(`${url}/v1/jobs?limit=100`, { headers: { 'x-api-key': apiKey } });
      return Page.parse(await answer.json()).data;
    }),
  );
  return pages
    .flat()
    .flatMap(({ createdAt, startedAt }) => (startedAt === undefined ? [] : startedAt - createdAt));
}
