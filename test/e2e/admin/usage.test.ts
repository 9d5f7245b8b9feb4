// Usage, provider limits and logs over HTTP, on a real gateway with the simulator.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, openAdminRig } from './admin-rig.ts';

const DAY_MS = 86_400_000;
/** Usage reaches the store right after the answer; each request gives it time. */
const MAX_LOOKS = 2000;

let rig: AdminRig;
before(async () => {
  rig = await openAdminRig();
});
after(() => rig.close());

async function newTenant(id: string): Promise<string> {
  assert.equal((await rig.call('POST', '/admin/orgs', { body: { id } })).status, 201);
  return textAt((await rig.call('POST', `/admin/orgs/${id}/keys`, { body: {} })).body, 'key');
}

async function ask(key: string, model = 'claude-sonnet-4-5'): Promise<number> {
  const body = { model, max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] };
  const headers = { 'x-user-id': 'user-7', 'x-category': 'chat' };
  return (await rig.call('POST', '/v1/messages', { key, body, headers })).status;
}

async function usageOf(path: string, attempts: number, key?: string): Promise<unknown> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const { status, body, text } = await rig.call('GET', path, key === undefined ? {} : { key });
    assert.equal(status, 200, text);
    if (valueAt(body, 'total', 'attempts') === attempts) return body;
  }
  throw new Error(`${attempts} attempts were never seen`);
}

test('two organisations see only their own usage', async () => {
  const [one, two] = [await newTenant('tenant-one'), await newTenant('tenant-two')];
  assert.equal(await ask(one), 200);
  assert.equal(await ask(one, 'claude-haiku-4-5'), 200);
  assert.equal(await ask(two), 200);

  const mine = await usageOf('/v1/usage', 2, one);
  const models = rowsOf(mine).map((row) => valueAt(row, 'group'));
  assert.deepEqual(new Set(models), new Set(['claude-haiku-4-5', 'claude-sonnet-4-5']));
  assert.ok(Number(valueAt(mine, 'total', 'costUsd')) > 0);
  await usageOf('/v1/usage?org=tenant-one', 1, two);
  await usageOf('/admin/usage?org=tenant-one', 2);
  await usageOf('/admin/usage?org=tenant-two', 1);
  await usageOf('/admin/usage', 3);
});

test('usage is grouped by the requested fields', async () => {
  const key = await newTenant('grouped');
  assert.equal(await ask(key), 200);
  const groups = {
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    user: 'user-7',
    category: 'chat',
  };
  for (const [groupBy, group] of Object.entries(groups)) {
    const body = await usageOf(`/v1/usage?groupBy=${groupBy}`, 1, key);
    assert.partialDeepStrictEqual(rowsOf(body), [{ group, attempts: 1, failures: 0 }]);
    assert.equal(valueAt(body, 'nextCursor'), null);
  }
  const days = rowsOf(await usageOf('/v1/usage?groupBy=day', 1, key));
  const today = Number(valueAt(days[0], 'group'));
  assert.equal(today % DAY_MS, 0);
  assert.ok(today <= Date.now() && today > Date.now() - 2 * DAY_MS);
  const past = await usageOf('/v1/usage?from=0&to=1000', 0, key);
  assert.deepEqual(rowsOf(past), []);
});

test("a job's usage carries the category and the user of its submitter", async () => {
  const key = await newTenant('job-labels');
  const model = 'claude-sonnet-4-5';
  const messages = [{ role: 'user', content: 'Hello' }];
  const handIns: [string, object, Record<string, string>][] = [
    ['/v1/jobs', { model, prompt: 'Hello' }, { 'x-category': 'nightly' }],
    [
      '/v1/messages',
      { model, max_tokens: 20, messages },
      { 'x-category': 'weekly', prefer: 'respond-async' },
    ],
  ];
  for (const [path, body, own] of handIns) {
    const headers = { 'x-user-id': 'user-9', ...own };
    const answer = await rig.call('POST', path, { key, body, headers });
    assert.equal(answer.status, 202, answer.text);
  }
  const byCategory = rowsOf(await usageOf('/v1/usage?groupBy=category', 2, key));
  const categories = byCategory.map((row) => valueAt(row, 'group'));
  assert.deepEqual(new Set(categories), new Set(['nightly', 'weekly']));
  const byUser = rowsOf(await usageOf('/v1/usage?groupBy=user', 2, key));
  assert.partialDeepStrictEqual(byUser, [{ group: 'user-9', attempts: 2 }]);
});

test('a limit set by an operator refuses calls until it is cleared', async () => {
  const key = await newTenant('limited');
  const resetAt = Date.now() + 600_000;
  const path = '/admin/limits/anthropic/us-east';
  const set = await rig.call('PUT', path, { body: { resetAt } });
  assert.equal(set.status, 200, set.text);
  assert.partialDeepStrictEqual(set.body, { kind: 'manual', resetAt, model: null, setBy: 'admin' });
  assert.equal(await ask(key), 429);
  const sooner = { resetAt: resetAt - 60_000 };
  assert.equal((await rig.call('PUT', path, { body: sooner })).status, 200);
  const listed = await rig.call('GET', '/admin/limits');
  assert.partialDeepStrictEqual(rowsOf(listed.body), [{ provider: 'anthropic', ...sooner }]);
  assert.equal((await rig.call('DELETE', path)).status, 204);
  assert.equal(await ask(key), 200);
});

test('a limit of one model leaves other models usable, and one clear removes all limits', async () => {
  const key = await newTenant('model-limited');
  const body = { resetAt: Date.now() + 600_000, model: 'claude-haiku-4-5' };
  assert.equal((await rig.call('PUT', '/admin/limits/anthropic/us-east', { body })).status, 200);
  assert.equal(await ask(key), 200);
  assert.equal(await ask(key, 'claude-haiku-4-5'), 429);
  assert.equal((await rig.call('DELETE', '/admin/limits/anthropic/us-east')).status, 204);
  assert.equal(await ask(key, 'claude-haiku-4-5'), 200);
});

test('a limit needs a known provider', async () => {
  for (const provider of ['nobody', 'constructor']) {
    const body = { resetAt: Date.now() + 1000 };
    const answer = await rig.call('PUT', `/admin/limits/${provider}/us-east`, { body });
    assert.equal(answer.status, 404, answer.text);
  }
});

test('a limit lasts 32 days at most, and a limit that ends in the past ends immediately', async () => {
  const path = '/admin/limits/anthropic/us-east';
  const before = Date.now();
  const far = await rig.call('PUT', path, { body: { resetAt: before + 400 * DAY_MS } });
  const resetAt = Number(valueAt(far.body, 'resetAt'));
  assert.ok(resetAt >= before + 32 * DAY_MS && resetAt <= Date.now() + 32 * DAY_MS, far.text);
  assert.equal((await rig.call('PUT', path, { body: { resetAt: before - 1 } })).status, 200);
  assert.deepEqual(rowsOf((await rig.call('GET', '/admin/limits')).body), []);
});

test('a range that ends before it begins has no usage', async () => {
  const { status, body } = await rig.call('GET', '/admin/usage?from=2&to=1');
  assert.equal(status, 200);
  assert.deepEqual(rowsOf(body), []);
});

test('the log returns the latest entries first and supports filters', async () => {
  await rig.call('POST', '/admin/orgs', { body: { id: 'logged' } });
  const { body } = await rig.call('GET', '/admin/logs?type=audit&limit=2');
  assert.equal(rowsOf(body).length, 2);
  assert.equal(valueAt(body, 'isEnabled'), true);
  assert.partialDeepStrictEqual(rowsOf(body)[0], {
    level: 'info',
    type: 'audit',
    message: 'organization.create logged',
  });
  const critical = await rig.call('GET', '/admin/logs?level=critical');
  assert.deepEqual(rowsOf(critical.body), []);
});
