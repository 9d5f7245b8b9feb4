// Every refusal of a caller is one log line with the reason, found by the id of the response.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { administer, newTenant } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MESSAGE = {
  model: 'claude-sonnet-5-5',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello' }],
};

type Refused = {
  readonly method?: string;
  readonly path: string;
  /** Sent as it is if it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** Of the log line. */
  readonly reason: RegExp;
};

const MESSAGES = '/v1/messages';
const JSON_TYPE = { 'content-type': 'application/json' };
const NO_KEY = { authorization: 'Bearer nonsense' };

const REFUSALS: Readonly<Record<string, Refused>> = {
  'an AI endpoint without a key': {
    path: MESSAGES,
    headers: NO_KEY,
    status: 401,
    reason: /unknown, revoked or expired key/,
  },
  'an unknown model': {
    path: MESSAGES,
    body: { ...MESSAGE, model: 'nobody-has-this' },
    status: 404,
    reason: /no provider serves the model nobody-has-this/,
  },
  'broken JSON at an AI endpoint': {
    path: MESSAGES,
    body: '{"model": ',
    status: 400,
    reason: /not a usable JSON object/,
  },
  'an unknown coding': {
    path: MESSAGES,
    body: MESSAGE,
    headers: { 'content-encoding': 'compress' },
    status: 415,
    reason: /content encoding compress is not supported/,
  },
  'a broken request under an idempotency key': {
    path: MESSAGES,
    body: { ...MESSAGE, model: '' },
    headers: { 'idempotency-key': 'broken' },
    status: 400,
    reason: /names no model/,
  },
  'an invalid idempotency key': {
    path: MESSAGES,
    body: MESSAGE,
    headers: { 'idempotency-key': 'x'.repeat(1000) },
    status: 400,
    reason: /[Ii]dempotency-[Kk]ey/,
  },
  'a broken request that prefers to be queued': {
    path: MESSAGES,
    body: '{"model":"claude-sonnet-5-5","max_tokens":20,"messages":[{"role":}]}',
    headers: { prefer: 'respond-async' },
    status: 400,
    reason: /not a usable JSON object/,
  },
  'a refused content': {
    path: MESSAGES,
    body: { ...MESSAGE, messages: 'refuse me' },
    status: 400,
    reason: /the provider answered 400/,
  },
  'a path without an endpoint': {
    path: '/v1/nothing/here',
    body: {},
    status: 404,
    reason: /no endpoint at \/v1\/nothing\/here/,
  },
  'a wrong method': {
    method: 'PUT',
    path: MESSAGES,
    body: MESSAGE,
    status: 405,
    reason: /does not accept PUT/,
  },
  'a path that cannot be decoded': {
    method: 'GET',
    path: '/v1/jobs/%E0%A4%A',
    status: 400,
    reason: /cannot be read: .*%E0/,
  },
  'an unknown model in a list': {
    method: 'GET',
    path: '/v1/models/nobody-has-this',
    status: 404,
    reason: /no such model/,
  },
  'a list of models without a key': {
    method: 'GET',
    path: '/v1/models',
    headers: NO_KEY,
    status: 401,
    reason: /unknown, revoked or expired key/,
  },
  'an unknown job': { method: 'GET', path: '/v1/jobs/none', status: 404, reason: /no such job/ },
  'broken JSON of a job': {
    path: '/v1/jobs',
    body: '{"prompt": ',
    headers: JSON_TYPE,
    status: 400,
    reason: /not a usable JSON object/,
  },
  'a job with a wrong prompt': {
    path: '/v1/jobs',
    body: { prompt: 7 },
    headers: JSON_TYPE,
    status: 400,
    reason: /the job is malformed: .*expected string/,
  },
  'a query that does not fit': {
    method: 'GET',
    path: '/v1/usage?groupBy=nothing',
    status: 400,
    reason: /does not fit its schema: .*expected/,
  },
  'an admin endpoint without the admin key': {
    method: 'GET',
    path: '/admin/orgs',
    headers: NO_KEY,
    status: 401,
    reason: /admin key/,
  },
};

suite('the log lines of refusals', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  async function send({ method = 'POST', path, body, headers }: Refused, key = gateway.apiKey) {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, id: response.headers.get('x-request-id') ?? '', text };
  }

  async function assertLogged(id: string, reason: RegExp): Promise<void> {
    const { data } = await administer(gateway, 'GET', '/admin/logs?limit=1000');
    const entries = data as readonly { requestId?: string; message: string; level: string }[];
    const lines = entries.filter(({ requestId }) => requestId === id);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['warn'],
      JSON.stringify(lines),
    );
    assert.match(lines[0]?.message ?? '', reason);
  }

  for (const [name, refused] of Object.entries(REFUSALS))
    test(`${name} is logged once`, async () => {
      const { status, id, text } = await send(refused);
      assert.equal(status, refused.status, text);
      await assertLogged(id, refused.reason);
    });

  test('an idempotency key with another payload is logged once', async () => {
    const headers = { 'idempotency-key': 'used-twice' };
    const first = { path: MESSAGES, body: MESSAGE, headers, status: 200, reason: /served/ };
    assert.equal((await send(first)).status, 200);
    const other = await send({ ...first, body: { ...MESSAGE, max_tokens: 21 } });
    assert.equal(other.status, 422, other.text);
    await assertLogged(other.id, /payload|request/);
  });

  test('a queued call without the scope jobs is logged once', async () => {
    const { organizationId } = await newTenant(gateway, {});
    const path = `/admin/orgs/${organizationId}/keys`;
    const { key } = await administer(gateway, 'POST', path, { scopes: ['call'] });
    const headers = { prefer: 'respond-async' };
    const refused = { path: MESSAGES, body: MESSAGE, headers, status: 403, reason: /scope jobs/ };
    const { status, id, text } = await send(refused, String(key));
    assert.equal(status, 403, text);
    await assertLogged(id, refused.reason);
  });
});
