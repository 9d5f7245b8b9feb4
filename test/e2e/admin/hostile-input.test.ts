// Every admin endpoint with missing credentials and invalid input: a clean error in Spillway's shape, never a
// 5xx, never internal text.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isErrorCode } from '../../../src/errors/codes.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, type Answer, openAdminRig } from './admin-rig.ts';

let rig: AdminRig;
before(async () => {
  rig = await openAdminRig();
});
after(() => rig.close());

const SOON = Date.now() + 60_000;

/** Each route with a valid body, so that every refusal below has the intended reason. */
const ROUTES: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/admin/orgs', { id: 'fine' }],
  ['GET', '/admin/orgs'],
  ['GET', '/admin/orgs/default'],
  ['PATCH', '/admin/orgs/default', { name: 'Default' }],
  ['POST', '/admin/orgs/default/keys', { name: 'fine' }],
  ['GET', '/admin/orgs/default/keys'],
  ['DELETE', '/admin/orgs/default/keys/key_1'],
  ['POST', '/admin/orgs/default/webhook-secret'],
  ['GET', '/admin/usage'],
  ['GET', '/admin/jobs'],
  ['GET', '/v1/usage'],
  ['GET', '/admin/limits'],
  ['PUT', '/admin/limits/openai/us-east', { resetAt: SOON }],
  ['DELETE', '/admin/limits/openai/us-east'],
  ['GET', '/admin/logs'],
  ['GET', '/admin/audit'],
  ['GET', '/admin/alerts'],
  ['GET', '/admin/alerts/webhook-secret'],
];

function assertClean(answer: Answer, status: number, what: string): void {
  assert.equal(answer.status, status, `${what}: ${answer.text}`);
  assert.ok(isErrorCode(valueAt(answer.body, 'error', 'code')), what);
  assert.match(textAt(answer.body, 'error', 'requestId'), /^req_/, what);
  assert.doesNotMatch(answer.text, /zod|sqlite|fastify|at .*\.ts|node:/i, what);
}

test('without the admin key every endpoint answers 401 before it validates input', async () => {
  const { apiKey, adminKey } = rig.gateway.identity;
  for (const [method, path, body] of ROUTES) {
    const isAdmins = path.startsWith('/admin');
    const keys = [undefined, '', 'nonsense', `${adminKey}x`, ...(isAdmins ? [apiKey] : [adminKey])];
    for (const key of keys) {
      assertClean(await rig.call(method, path, { key, body }), 401, `${method} ${path} by ${key}`);
      const broken = body && { raw: '{broken' };
      assertClean(await rig.call(method, path, { key, ...broken }), 401, `${method} ${path}`);
    }
  }
});

test('a job with a field named __proto__ is accepted without it, as with any unknown field', async () => {
  const raw =
    '{"prompt":"x","__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}';
  const key = rig.gateway.identity.apiKey;
  const submitted = await rig.call('POST', '/v1/jobs', { raw, key });
  assert.equal(submitted.status, 202, submitted.text);
  const job = await rig.call('GET', `/v1/jobs/${textAt(submitted.body, 'id')}`, { key });
  assert.equal(job.status, 200, job.text);
  assert.equal(valueAt({}, 'polluted'), undefined);
});

test('a body of the wrong shape is rejected with INVALID_REQUEST', async () => {
  const raws = [
    '{',
    'null',
    '[]',
    '"text"',
    '12',
    '{"__proto__":{"name":"x"}}',
    '{"constructor":{"prototype":{}}}',
    '{"unknown":1}',
    `{"name":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  ];
  for (const [method, path, body] of ROUTES) {
    if (!body) continue;
    for (const raw of raws)
      assertClean(
        await rig.call(method, path, { raw }),
        400,
        `${method} ${path} ${raw.slice(0, 40)}`,
      );
    const xml = { raw: '<a/>', headers: { 'content-type': 'text/xml' } };
    assertClean(await rig.call(method, path, xml), 400, `${method} ${path} as XML`);
  }
});

test('an invalid value is rejected with the name of its field', async () => {
  const wrong: readonly (readonly [method: string, path: string, field: string, value: unknown])[] =
    [
      ...(['POST', 'PATCH'] as const).flatMap((method) => {
        const path = method === 'POST' ? '/admin/orgs' : '/admin/orgs/default';
        return WRONG_SETTINGS.map(([field, value]) => [method, path, field, value] as const);
      }),
      ...['', 'a b', '../x', 'ü', 'x'.repeat(65), 7, null].map(
        (id) => ['POST', '/admin/orgs', 'id', id] as const,
      ),
      ['PATCH', '/admin/orgs/default', 'id', 'other'],
      ['PATCH', '/admin/orgs/default', 'webhookSecret', 'whsec_mine'],
      ...WRONG_KEYS.map(
        ([field, value]) => ['POST', '/admin/orgs/default/keys', field, value] as const,
      ),
      ['PUT', '/admin/limits/openai/us-east', 'resetAt', 'tomorrow'],
      ['PUT', '/admin/limits/openai/us-east', 'resetAt', 1.5],
      ['PUT', '/admin/limits/openai/us-east', 'model', 'a\u0000b'],
    ];
  for (const [method, path, field, value] of wrong) {
    const needed = path.startsWith('/admin/limits') ? { resetAt: SOON } : {};
    const answer = await rig.call(method, path, { body: { ...needed, [field]: value } });
    const what = `${method} ${path} ${field}=${JSON.stringify(value)}`;
    assertClean(answer, 400, what);
    assert.match(textAt(answer.body, 'error', 'params', 'field'), new RegExp(`^${field}`), what);
  }
});

const WRONG_SETTINGS: readonly (readonly [string, unknown])[] = [
  ['name', ''],
  ['name', 'two\nlines'],
  ['name', 'nul\u0000'],
  ['name', '\ud800'],
  ['name', 'x'.repeat(201)],
  ['monthlyBudgetUsd', -1],
  ['monthlyBudgetUsd', '5'],
  ['monthlyBudgetUsd', 1e300],
  ['requestsPerMinute', 0],
  ['requestsPerMinute', 1.5],
  ['requestsPerMinute', null],
  ['tokensPerMinute', 1e18],
  ['tokensPerDay', -3],
  ['maxConcurrent', 'many'],
  ['locale', 'not a locale'],
  ['timeZone', 'Mars/Olympus'],
  ['timeZone', '+02:00'],
  ['timeZone', null],
  ['messages', { RATE_LIMITED: '{broken' }],
  ['messages', { UNKNOWN_CODE: 'x' }],
  ['messages', { RATE_LIMITED: 7 }],
  ['messages', 'x'],
  ['allowStale', 'yes'],
];

const WRONG_KEYS: readonly (readonly [string, unknown])[] = [
  ['name', '\u0007'],
  ['scopes', []],
  ['scopes', ['everything']],
  ['scopes', 'call'],
  ['expiresAt', 'never'],
  ['expiresAt', -1],
  ['expiresAt', 1e300],
  ['diagnostics', 1],
  ['monthlyBudgetUsd', -0.01],
  ['requestsPerMinute', 0],
  ['models', []],
  ['models', ['a b']],
  ['models', Array.from({ length: 201 }, () => 'm')],
];

test('an invalid query is rejected with the name of its field', async () => {
  const wrong: readonly (readonly [path: string, field: string])[] = [
    ['/admin/orgs?limit=0', 'limit'],
    ['/admin/orgs?limit=501', 'limit'],
    ['/admin/orgs?limit=many', 'limit'],
    ['/admin/orgs?limit=1&limit=2', 'limit'],
    ['/admin/orgs?cursor=!!', 'cursor'],
    ['/admin/orgs?cursor=AA', 'cursor'],
    [`/admin/orgs?cursor=${'x'.repeat(401)}`, 'cursor'],
    ['/admin/orgs/default/keys?cursor=%00', 'cursor'],
    ['/admin/usage?groupBy=secret', 'groupBy'],
    ['/admin/usage?from=yesterday', 'from'],
    ['/admin/usage?from=', 'from'],
    ['/admin/usage?to=1e300', 'to'],
    ['/admin/usage?org=a%20b', 'org'],
    ['/admin/jobs?status=lost', 'status'],
    ['/admin/jobs?cursor=-', 'cursor'],
    ['/admin/logs?type=secret', 'type'],
    ['/admin/logs?level=loud', 'level'],
    ['/admin/logs?limit=-1', 'limit'],
    ['/admin/audit?org=%27', 'org'],
  ];
  for (const [path, field] of wrong) {
    const answer = await rig.call('GET', path);
    assertClean(answer, 400, path);
    assert.equal(valueAt(answer.body, 'error', 'params', 'field'), field, path);
  }
});

test('an unknown id answers 404, however it is spelt', async () => {
  for (const path of [
    '/admin/orgs/nobody',
    '/admin/orgs/constructor',
    '/admin/orgs/nobody/keys',
    '/admin/usage?org=nobody',
    '/admin/nothing',
  ])
    assertClean(await rig.call('GET', path), 404, path);
  for (const id of ["'; drop table organizations; --", '%00', '..%2f..%2fetc', 'x'.repeat(99)])
    assertClean(await rig.call('GET', `/admin/orgs/${id}`), 400, id);
  assert.ok((await rig.call('GET', '/admin/orgs/%zz')).status === 400);
});

test('rejected requests leave the state unchanged', async () => {
  const { body } = await rig.call('GET', '/admin/orgs/default');
  assert.partialDeepStrictEqual(body, { name: 'Default', monthlyBudgetUsd: 100 });
  const audit = await rig.call('GET', '/admin/audit');
  assert.deepEqual(valueAt(audit.body, 'data'), []);
});

test('an empty body counts as absent, whatever its content type', async () => {
  const empty = [{ raw: '' }, {}];
  for (const call of empty) {
    assertClean(await rig.call('POST', '/admin/orgs', call), 400, 'POST');
    assertClean(await rig.call('POST', '/admin/orgs/default/keys', call), 400, 'POST');
    assert.equal((await rig.call('POST', '/admin/orgs/default/webhook-secret', call)).status, 201);
    assertClean(await rig.call('DELETE', '/admin/orgs/default/keys/none', call), 404, 'DELETE');
    assertClean(await rig.call('PUT', '/admin/limits/openai/us-east', call), 400, 'PUT');
    assertClean(await rig.call('PATCH', '/admin/orgs/default', call), 400, 'PATCH');
  }
});

test('the OpenAPI document lists the endpoints with their credential', async () => {
  const { body } = await rig.call('GET', '/openapi.json');
  for (const [method, path] of ROUTES) {
    const documented = path
      .replace('/default', '/{id}')
      .replace('/key_1', '/{keyId}')
      .replace('/openai/us-east', '/{provider}/{region}');
    const operation = valueAt(body, 'paths', documented, method.toLowerCase());
    assert.ok(valueAt(operation, 'summary'), `${method} ${documented}`);
    assert.ok(valueAt(operation, 'security'), `${method} ${documented}`);
  }
});
