// Bob's attempt on each route. A route of the API that is missing here fails isolation.test.ts: a new route
// must state how it separates organisations.

import assert from 'node:assert/strict';
import { ask, errorOf } from '../../support/gateway/call-rig.ts';
import {
  assertNothingOf,
  assertUnknown,
  messageOf,
  SHARED_NAME,
  send,
  TAKEN_BY_ALICE,
  type Tenant,
  type TwoTenants,
} from './tenant-rig.ts';

export type RouteCase = (world: TwoTenants, method: string, path: string) => Promise<void>;

/** The case of a route, by its name in the OpenAPI document: `GET /v1/jobs/{id}`. */
export function caseOf(route: string): RouteCase | undefined {
  return TRIES[route] ?? PATTERNS.find(([pattern]) => pattern.test(route))?.[1];
}

const PATTERNS: readonly (readonly [RegExp, RouteCase])[] = [
  [/^\w+ \/admin\//, isForOperators],
  [/^GET \/metrics$/, isForbidden],
  [/^GET \/health\/(detailed|capacity|cluster)$/, isForOperators],
  [/^\w+ \/cluster\//, isForOperators],
  [/^GET \/health/, saysNothing],
  [/^GET \/v1(beta)?\/models/, saysNothing],
  [
    /^POST .*(messages|completions|responses|compact|input_tokens|embeddings|count_tokens)$/,
    callsAsItself,
  ],
  [/^POST .*\{model\}:\w+$/, callsAsItself],
];

const TRIES: Readonly<Record<string, RouteCase>> = {
  'POST /api/chat': callsAsItself,
  'GET /v1/usage': seesOnlyOwn,
  'GET /v1/budget': seesOnlyOwn,
  'GET /v1/jobs': seesOnlyOwn,
  'POST /v1/jobs': submitsOwn,
  'GET /v1/jobs/{id}': findsNothing,
  'DELETE /v1/jobs/{id}': findsNothing,
  'GET /v1/jobs/{id}/events': findsNothing,
  'POST /v1/builds/{buildId}/events': reportsToOwn,
  'GET /v1/builds/{buildId}/events': readsOwn,
};

/** Every id in the path is Alice's, and so is every requested organisation. */
function pathTo(path: string, { organizationId, keyId, jobId, buildId }: Tenant): string {
  return path
    .replace('/orgs/{id}', `/orgs/${organizationId}`)
    .replace('{keyId}', keyId)
    .replace('{buildId}', buildId)
    .replace('{id}', jobId)
    .replace('{provider}', 'anthropic')
    .replace('{region}', 'default')
    .replace('{model}', modelOf(path));
}

function modelOf(path: string): string {
  if (/mbed/.test(path))
    return path.includes(':') ? 'gemini-embedding-001' : 'text-embedding-3-small';
  if (/v1beta/.test(path)) return 'gemini-2.5-pro';
  return /messages/.test(path) ? 'claude-sonnet-4-5' : 'gpt-4o';
}

async function isForOperators(
  { alice, bob }: TwoTenants,
  method: string,
  path: string,
): Promise<void> {
  const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'bob was here' };
  const asked = `${pathTo(path, alice)}?org=${alice.organizationId}`;
  const answer = await send(bob, method, asked, body);
  assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
  assertNothingOf(alice, answer, `${method} ${path}`);
}

/** Covers all organisations, so a key needs a scope that none has by default. */
async function isForbidden(
  { alice, bob }: TwoTenants,
  method: string,
  path: string,
): Promise<void> {
  const answer = await send(bob, method, path);
  assert.equal(answer.status, 403);
  assertNothingOf(alice, answer, path);
}

async function saysNothing(
  { alice, bob }: TwoTenants,
  method: string,
  path: string,
): Promise<void> {
  const answer = await send(bob, method, pathTo(path, alice));
  assert.equal(answer.status, 200, answer.text);
  assertNothingOf(alice, answer, path);
}

/** The organisation comes only from the key, whatever the request names. */
async function callsAsItself(
  { alice, bob }: TwoTenants,
  method: string,
  path: string,
): Promise<void> {
  const { organizationId } = alice;
  const headers = {
    'x-organization-id': organizationId,
    'x-org-id': organizationId,
    'openai-organization': organizationId,
  };
  const answer = await send(bob, method, pathTo(path, alice), bodyFor(path, bob), headers);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  assertNothingOf(alice, answer, path);
}

function bodyFor(path: string, { name }: Tenant): object {
  const text = `The prompt of ${name}`;
  const content = { parts: [{ text }] };
  if (path === '/api/chat') return { message: text };
  const model = modelOf(path);
  if (path.endsWith(':embedContent')) return { content };
  if (path.endsWith(':batchEmbedContents'))
    return { requests: [{ model: `models/${model}`, content }] };
  if (path.includes('{model}')) return { contents: [{ role: 'user', ...content }] };
  if (/\/(embeddings|responses|compact|input_tokens)$/.test(path)) return { model, input: text };
  const bound = path.endsWith('count_tokens') ? {} : { max_tokens: 50 };
  return { model, ...bound, messages: [{ role: 'user', content: text }] };
}

async function seesOnlyOwn({ alice, bob }: TwoTenants, _: string, path: string): Promise<void> {
  const { organizationId, keyId } = alice;
  for (const query of ['', `?org=${organizationId}`, `?organizationId=${organizationId}`]) {
    const answer = await send(bob, 'GET', path + query, undefined, {
      'x-organization-id': organizationId,
      'x-key-id': keyId,
    });
    // An unknown parameter is ignored or rejected; it never changes the owner.
    assert.ok([200, 400].includes(answer.status), answer.text);
    assertNothingOf(alice, answer, path + query);
    assert.ok(!answer.text.includes(alice.jobId), answer.text);
  }
}

async function submitsOwn({ alice, bob }: TwoTenants): Promise<void> {
  // The name and idempotency key of one of Alice's jobs, and an organisation that is not Bob's.
  const { organizationId } = alice;
  const prompt = 'The prompt of bob';
  const wanted = { id: TAKEN_BY_ALICE, organizationId, model: 'claude-sonnet-4-5', prompt };
  const answer = await send(bob, 'POST', '/v1/jobs', wanted, { 'idempotency-key': TAKEN_BY_ALICE });
  assert.equal(answer.status, 202, answer.text);
  assertNothingOf(alice, answer, 'POST /v1/jobs');
  const found = await send(bob, 'GET', `/v1/jobs/${TAKEN_BY_ALICE}`);
  assert.equal(found.status, 200);
  assertNothingOf(alice, found, 'the job of the same name');
}

async function findsNothing(
  { alice, bob }: TwoTenants,
  method: string,
  path: string,
): Promise<void> {
  const answer = await send(bob, method, pathTo(path, alice));
  const unknown = await send(bob, method, path.replace('{id}', 'job-of-nobody'));
  assertUnknown(answer, unknown, `${method} ${path}`);
  const own = await send(bob, 'GET', `/v1/jobs/${SHARED_NAME}`);
  assert.equal(own.status, 200);
  assertNothingOf(alice, own, 'the job of the same name');
}

async function reportsToOwn({ alice, bob }: TwoTenants): Promise<void> {
  for (const buildId of [alice.buildId, SHARED_NAME]) {
    const report = { type: 'text', text: 'reported by bob' };
    const answer = await send(bob, 'POST', `/v1/builds/${buildId}/events`, report);
    assert.equal(answer.status, 201, answer.text);
    assertNothingOf(alice, answer, buildId);
  }
}

async function readsOwn({ alice, bob }: TwoTenants): Promise<void> {
  for (const buildId of [alice.buildId, SHARED_NAME, alice.jobId]) {
    const answer = await send(bob, 'GET', `/v1/builds/${buildId}/events`);
    assert.equal(answer.status, 200, answer.text);
    assertNothingOf(alice, answer, buildId);
  }
}

/** A stored answer is not replayed to another organisation with the same idempotency key. */
export async function keepsIdempotencyKeysApart({ alice, bob }: TwoTenants): Promise<void> {
  const hers = await ask(alice, messageOf(alice, 'idem-1'));
  const his = await ask(bob, messageOf(bob, 'idem-1'));
  assert.equal(hers.status, 200);
  assert.equal(his.status, 200);
  assertNothingOf(alice, his, 'an idempotency key');
  // Another prompt under a key that Bob already used is Bob's own conflict, not Alice's.
  const conflict = await ask(bob, messageOf(alice, 'idem-1'));
  assert.equal(conflict.status, 422, conflict.text);
  assert.equal(errorOf(conflict).code, 'UNPROCESSABLE');
}
