// Two organisations on one gateway. Alice owns one of everything, with her name in it; Bob requests it on
// every route. No response to Bob may contain Alice's names, texts or ids.

import assert from 'node:assert/strict';
import {
  type Answer,
  administer,
  ask,
  type Caller,
  errorOf,
} from '../../support/gateway/call-rig.ts';
import type { TestGateway } from '../../support/gateway/test-gateway.ts';

export type Tenant = Caller & {
  readonly name: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly jobId: string;
  readonly buildId: string;
};

export type TwoTenants = {
  readonly gateway: TestGateway;
  readonly alice: Tenant;
  readonly bob: Tenant;
};

/** Both own a job and a build of this name; the key decides which one a request means. */
export const SHARED_NAME = 'the-same-name';
/** An id that Alice used first and Bob wants. */
export const TAKEN_BY_ALICE = 'hers-first';

export async function openTwoTenants(gateway: TestGateway): Promise<TwoTenants> {
  const alice = await settle(gateway, 'alice');
  const bob = await settle(gateway, 'bob');
  return { gateway, alice, bob };
}

async function settle(gateway: TestGateway, name: string): Promise<Tenant> {
  const organizationId = `${name}-${crypto.randomUUID()}`;
  const roomy = { requestsPerMinute: 10_000, monthlyBudgetUsd: 1000 };
  await administer(gateway, 'POST', '/admin/orgs', { id: organizationId, name, ...roomy });
  const path = `/admin/orgs/${organizationId}/keys`;
  const made = await administer(gateway, 'POST', path, { name: `${name}'s key` });
  const place = { url: gateway.url, apiKey: String(made['key']) };
  const buildId = `${name}-build`;
  const jobId = `${name}-job`;
  const jobs = name === 'alice' ? [jobId, SHARED_NAME, TAKEN_BY_ALICE] : [jobId, SHARED_NAME];
  for (const id of jobs) await submitJob(place, id, `The prompt of ${name}`);
  for (const id of [buildId, SHARED_NAME])
    await send(place, 'POST', `/v1/builds/${id}/events`, {
      type: 'text',
      text: `reported by ${name}`,
    });
  const tenant = { ...place, name, organizationId, keyId: String(made['id']), jobId, buildId };
  assert.equal((await ask(tenant, messageOf(tenant, 'idem-1'))).status, 200);
  await untilSettled(tenant, jobs.length + 1);
  return tenant;
}

async function submitJob(place: Caller, id: string, prompt: string): Promise<void> {
  const body = { id, model: 'claude-sonnet-4-5', prompt };
  const receipt = await send(place, 'POST', '/v1/jobs', body, { 'idempotency-key': id });
  assert.equal(receipt.status, 202, receipt.text);
}

/** A call with an idempotency key that both use. */
export function messageOf({ name }: Pick<Tenant, 'name'>, idempotencyKey: string) {
  const messages = [{ role: 'user', content: `The prompt of ${name}` }];
  return {
    body: { model: 'claude-sonnet-4-5', max_tokens: 50, messages },
    headers: { 'idempotency-key': idempotencyKey },
  };
}

export async function send(
  { url, apiKey }: Caller,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Everything visible to the tenant, without fields that change with the time of the request. */
export async function visibleStateOf(tenant: Tenant): Promise<unknown> {
  const [usage, budget, jobs, job, build, shared] = await Promise.all(
    [
      '/v1/usage',
      '/v1/budget',
      '/v1/jobs',
      `/v1/jobs/${tenant.jobId}`,
      `/v1/builds/${tenant.buildId}/events`,
      `/v1/builds/${SHARED_NAME}/events`,
    ].map(async (path) => parsed(await send(tenant, 'GET', path))),
  );
  const { data, total } = usage ?? {};
  const { forecastExhaustedAt: _, ...money } = budget ?? {};
  return { data, total, money, jobs, job, build, shared };
}

/** Waits until the tenant's jobs have ended and its usage has reached the store. */
async function untilSettled(tenant: Tenant, attempts: number): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    deadline.throwIfAborted();
    const jobs = await send(tenant, 'GET', '/v1/jobs');
    const { total } = parsed(await send(tenant, 'GET', '/v1/usage'));
    const isRunning = /"status":"(queued|running|delayed)"/.test(jobs.text);
    const used = typeof total === 'object' && total !== null ? Reflect.get(total, 'attempts') : 0;
    if (!isRunning && used === attempts) return;
  }
}

export function assertNothingOf(other: Tenant, answer: Answer, what: string): void {
  const all = `${answer.text}\n${[...answer.headers].flat().join('\n')}`;
  const { organizationId, keyId, apiKey, name } = other;
  for (const own of [organizationId, keyId, apiKey, `The prompt of ${name}`, `reported by ${name}`])
    assert.ok(!all.includes(own), `${what} leaks ${own}: ${all}`);
}

/** A foreign id answers like an unknown one. */
export function assertUnknown(answer: Answer, toUnknownId: Answer, what: string): void {
  assert.equal(answer.status, 404, `${what}: ${answer.text}`);
  assert.equal(errorOf(answer).code, 'NOT_FOUND');
  assert.equal(withoutId(answer), withoutId(toUnknownId), what);
}

function withoutId({ text }: Answer): string {
  return text.replaceAll(/req_[0-9a-f]{32}/g, 'req');
}

function parsed({ text }: Answer): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
