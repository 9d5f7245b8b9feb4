// The deletion of an organisation over HTTP, on a real gateway.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, openAdminRig } from './admin-rig.ts';

const MESSAGE = {
  model: 'claude-sonnet-4-5',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello' }],
};
/** Usage reaches the store right after the answer; each request gives it time. */
const MAX_LOOKS = 2000;

let rig: AdminRig;
before(async () => {
  rig = await openAdminRig();
});
after(() => rig.close());

async function newCaller(org: string): Promise<string> {
  const created = await rig.call('POST', '/admin/orgs', { body: { id: org } });
  assert.equal(created.status, 201, created.text);
  const key = await rig.call('POST', `/admin/orgs/${org}/keys`, { body: {} });
  return textAt(key.body, 'key');
}

function conflict(kind: string) {
  return { error: { code: 'CONFLICT', retryable: false, params: { conflict: kind } } };
}

test('a deleted organisation is gone, its keys stop working, and its id stays taken', async () => {
  const key = await newCaller('gone');
  assert.equal((await rig.call('POST', '/v1/messages', { key, body: MESSAGE })).status, 200);
  assert.equal((await rig.call('DELETE', '/admin/orgs/gone')).status, 204);
  assert.equal((await rig.call('POST', '/v1/messages', { key, body: MESSAGE })).status, 401);
  assert.equal((await rig.call('GET', '/admin/orgs/gone')).status, 404);
  assert.equal((await rig.call('GET', '/admin/orgs/gone/keys')).status, 404);
  assert.equal((await rig.call('POST', '/admin/orgs/gone/keys', { body: {} })).status, 404);
  const listed = rowsOf((await rig.call('GET', '/admin/orgs?limit=100')).body);
  assert.ok(!listed.some((row) => valueAt(row, 'id') === 'gone'));
  const again = await rig.call('POST', '/admin/orgs', { body: { id: 'gone' } });
  assert.partialDeepStrictEqual(again.body, conflict('taken'));
  assert.equal((await rig.call('DELETE', '/admin/orgs/gone')).status, 404);
});

test('the usage of a deleted organisation stays readable for accounting', async () => {
  const key = await newCaller('billed');
  await rig.call('POST', '/v1/messages', { key, body: MESSAGE });
  await rig.call('DELETE', '/admin/orgs/billed');
  let attempts: unknown = 0;
  for (let look = 0; look < MAX_LOOKS && attempts !== 1; look += 1) {
    const usage = await rig.call('GET', '/admin/usage?org=billed&groupBy=model');
    assert.equal(usage.status, 200, usage.text);
    attempts = valueAt(usage.body, 'total', 'attempts');
  }
  assert.equal(attempts, 1);
});

test('a deletion is refused while jobs wait, and force cancels them', async () => {
  const key = await newCaller('busy');
  // The job waits for the end of this limit.
  const resetAt = Date.now() + 86_400_000;
  const limit = '/admin/limits/anthropic/us-east';
  assert.equal((await rig.call('PUT', limit, { body: { resetAt } })).status, 200);
  const submitted = await rig.call('POST', '/v1/jobs', {
    key,
    body: { prompt: 'Hello', model: MESSAGE.model },
  });
  assert.equal(submitted.status, 202, submitted.text);
  const refused = await rig.call('DELETE', '/admin/orgs/busy');
  assert.equal(refused.status, 409, refused.text);
  assert.partialDeepStrictEqual(refused.body, conflict('unfinished_jobs'));
  assert.match(textAt(refused.body, 'error', 'message'), /jobs that wait or run.*force=true/);
  assert.equal((await rig.call('GET', '/v1/jobs', { key })).status, 200);
  assert.equal((await rig.call('DELETE', '/admin/orgs/busy?force=false')).status, 409);
  assert.equal((await rig.call('DELETE', '/admin/orgs/busy?force=true')).status, 204);
  const jobs = rowsOf((await rig.call('GET', '/admin/jobs?org=busy')).body);
  assert.deepEqual(
    jobs.map((job) => valueAt(job, 'status')),
    ['cancelled'],
  );
  await rig.call('DELETE', limit);
});

test('the organisation default cannot be deleted', async () => {
  const refused = await rig.call('DELETE', '/admin/orgs/default?force=true');
  assert.partialDeepStrictEqual(refused.body, conflict('permanent'));
  assert.equal((await rig.call('GET', '/admin/orgs/default')).status, 200);
});

test('the audit log has one entry for a deletion and none for a refused one', async () => {
  await newCaller('audited');
  await rig.call('DELETE', '/admin/orgs/audited?force=true');
  await rig.call('DELETE', '/admin/orgs/audited');
  const [last] = rowsOf((await rig.call('GET', '/admin/audit?org=audited')).body);
  assert.partialDeepStrictEqual(last, {
    action: 'organization.delete',
    target: 'audited',
    data: { force: true },
  });
});
