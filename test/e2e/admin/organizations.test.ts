// Organisations and keys over HTTP, on a real gateway.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, openAdminRig } from './admin-rig.ts';

const MESSAGE = {
  model: 'claude-sonnet-4-5',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello' }],
};

let rig: AdminRig;
before(async () => {
  rig = await openAdminRig();
});
after(() => rig.close());

async function newKey(org: string, body: object = {}): Promise<{ id: string; key: string }> {
  const answer = await rig.call('POST', `/admin/orgs/${org}/keys`, { body });
  assert.equal(answer.status, 201, answer.text);
  return { id: textAt(answer.body, 'id'), key: textAt(answer.body, 'key') };
}

test('an organisation is created with its defaults and can be read back', async () => {
  const created = await rig.call('POST', '/admin/orgs', { body: { id: 'acme' } });
  assert.equal(created.status, 201);
  assert.partialDeepStrictEqual(created.body, {
    id: 'acme',
    name: 'acme',
    monthlyBudgetUsd: 100,
    requestsPerMinute: 100,
    tokensPerMinute: null,
    timeZone: 'UTC',
    messages: {},
    allowStale: false,
  });
  const read = await rig.call('GET', '/admin/orgs/acme');
  assert.deepEqual(read.body, created.body);
});

test('every setting is returned as given, money to the nano-dollar', async () => {
  const given = {
    id: 'full',
    name: 'Füll ☂',
    monthlyBudgetUsd: 0.000000001,
    requestsPerMinute: 7,
    tokensPerMinute: 1000,
    tokensPerDay: 20000,
    maxConcurrent: 3,
    locale: 'tr-TR',
    timeZone: 'Europe/Istanbul',
    messages: { RATE_LIMITED: 'Slow {down}', 'de:NOT_FOUND': 'Gibt es nicht.' },
    allowStale: true,
  };
  const { status, body } = await rig.call('POST', '/admin/orgs', { body: given });
  assert.equal(status, 201);
  assert.partialDeepStrictEqual(body, given);
});

test('a missing id is generated, and an existing id is a conflict', async () => {
  const made = await rig.call('POST', '/admin/orgs', { body: { name: 'No id' } });
  assert.match(textAt(made.body, 'id'), /^org_[0-9a-f]{16}$/);
  const taken = await rig.call('POST', '/admin/orgs', { body: { id: 'default' } });
  assert.equal(taken.status, 409);
  assert.partialDeepStrictEqual(taken.body, { error: { code: 'CONFLICT', retryable: false } });
});

test('an update changes only the given fields, and null removes a value', async () => {
  await rig.call('POST', '/admin/orgs', {
    body: { id: 'patched', locale: 'de', maxConcurrent: 4 },
  });
  const body = { locale: null, monthlyBudgetUsd: 12.5 };
  const changed = await rig.call('PATCH', '/admin/orgs/patched', { body });
  assert.equal(changed.status, 200);
  assert.partialDeepStrictEqual(changed.body, {
    locale: null,
    monthlyBudgetUsd: 12.5,
    maxConcurrent: 4,
  });
  assert.equal((await rig.call('PATCH', '/admin/orgs/nobody', { body })).status, 404);
});

test('a cursor pages through organisations without a gap', async () => {
  for (const id of ['page-a', 'page-b', 'page-c'])
    await rig.call('POST', '/admin/orgs', { body: { id } });
  const whole = rowsOf((await rig.call('GET', '/admin/orgs')).body).map((row) => textAt(row, 'id'));
  const walked: string[] = [];
  let cursor: unknown = '';
  for (let page = 0; page < 50 && typeof cursor === 'string'; page += 1) {
    const suffix = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await rig.call('GET', `/admin/orgs?limit=2${suffix}`);
    walked.push(...rowsOf(body).map((row) => textAt(row, 'id')));
    cursor = valueAt(body, 'nextCursor');
  }
  assert.equal(cursor, null);
  assert.deepEqual(walked, whole);
});

test('a key is shown once, works, and is never listed with its secret or hash', async () => {
  const { id, key } = await newKey('acme', { name: 'laptop', models: ['claude-sonnet-4-5'] });
  assert.match(key, /^sk-spill-/);
  const answer = await rig.call('POST', '/v1/messages', { key, body: MESSAGE });
  assert.equal(answer.status, 200, answer.text);
  const listed = await rig.call('GET', '/admin/orgs/acme/keys');
  const row = rowsOf(listed.body).find((each) => valueAt(each, 'id') === id);
  assert.partialDeepStrictEqual(row, {
    name: 'laptop',
    prefix: key.slice(0, 13),
    scopes: ['call', 'jobs', 'events'],
    models: ['claude-sonnet-4-5'],
    revokedAt: null,
  });
  assert.ok(!listed.text.includes(key.slice(14)));
  assert.ok(!listed.text.includes('hash'));
});

test('a revoked key stops working immediately, and only its own organisation can revoke it', async () => {
  const { id, key } = await newKey('acme');
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 200);
  assert.equal((await rig.call('DELETE', `/admin/orgs/full/keys/${id}`)).status, 404);
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 200);
  assert.equal((await rig.call('DELETE', `/admin/orgs/acme/keys/${id}`)).status, 204);
  assert.equal((await rig.call('GET', '/v1/usage', { key })).status, 401);
  assert.equal((await rig.call('POST', '/v1/messages', { key, body: MESSAGE })).status, 401);
  assert.equal((await rig.call('DELETE', `/admin/orgs/acme/keys/${id}`)).status, 204);
});

test('a key without the scope call gets FORBIDDEN', async () => {
  const { key } = await newKey('acme', { scopes: ['metrics'] });
  const answer = await rig.call('GET', '/v1/usage', { key });
  assert.equal(answer.status, 403);
});

test("an updated organisation affects its callers immediately, on the operator's server too", async () => {
  const { key } = await newKey('acme', { scopes: ['metrics'] });
  const keys = [key, rig.gateway.identity.apiKey];
  for (const [index, id] of ['acme', 'default'].entries()) {
    const ask = () => rig.call('GET', '/v1/usage?groupBy=nothing', { key: keys[index] });
    await ask();
    const messages = { FORBIDDEN: 'Ours: no.', INVALID_REQUEST: 'Ours: no.' };
    await rig.call('PATCH', `/admin/orgs/${id}`, { body: { messages } });
    assert.equal(textAt((await ask()).body, 'error', 'message'), 'Ours: no.');
  }
});

test('a webhook secret is shown once', async () => {
  const first = await rig.call('POST', '/admin/orgs/acme/webhook-secret');
  assert.equal(first.status, 201);
  const secret = textAt(first.body, 'secret');
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const read = await rig.call('GET', '/admin/orgs/acme');
  assert.equal(valueAt(read.body, 'hasWebhookSecret'), true);
  assert.ok(!read.text.includes('whsec_'));
  assert.notEqual(
    textAt((await rig.call('POST', '/admin/orgs/acme/webhook-secret')).body, 'secret'),
    secret,
  );
});

test('the audit log lists every change, newest first, and no secret', async () => {
  await rig.call('POST', '/admin/orgs', { body: { id: 'audited', monthlyBudgetUsd: 3 } });
  const { id, key } = await newKey('audited', { name: 'audited key' });
  await rig.call('DELETE', `/admin/orgs/audited/keys/${id}`);
  const secret = await rig.call('POST', '/admin/orgs/audited/webhook-secret');
  await rig.call('PATCH', '/admin/orgs/audited', { body: { name: 'Renamed' } });
  const audit = await rig.call('GET', '/admin/audit?org=audited');
  assert.deepEqual(
    rowsOf(audit.body).map((row) => valueAt(row, 'action')),
    [
      'organization.change',
      'organization.renew-webhook-secret',
      'key.revoke',
      'key.create',
      'organization.create',
    ],
  );
  assert.partialDeepStrictEqual(rowsOf(audit.body)[0], {
    actor: 'admin',
    target: 'audited',
    data: { name: 'Renamed' },
  });
  assert.match(textAt(rowsOf(audit.body)[0], 'requestId'), /^req_/);
  assert.ok(!audit.text.includes(key.slice(14)));
  assert.ok(!audit.text.includes(textAt(secret.body, 'secret')));
  const elsewhere = await rig.call('GET', '/admin/audit?org=full');
  assert.ok(!elsewhere.text.includes('audited'));
});

test('the audit log omits refused changes', async () => {
  await rig.call('POST', '/admin/orgs', { body: { id: 'audited' } });
  await rig.call('PATCH', '/admin/orgs/audited', { body: { timeZone: 'Mars/Olympus' } });
  await rig.call('DELETE', '/admin/orgs/audited/keys/key_of_nobody');
  const audit = await rig.call('GET', '/admin/audit?limit=1&org=audited');
  assert.equal(valueAt(rowsOf(audit.body)[0], 'action'), 'organization.change');
});
