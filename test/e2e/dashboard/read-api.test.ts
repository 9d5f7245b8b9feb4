// The dashboard's read API over HTTP: tenants are refused, hostile text stays JSON text, neither secrets nor prompts reach an
// answer, and the live stream sends the same state as the JSON answer.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RequestDetails } from '../../../src/dashboard/api/requests.ts';
import { type AdminRig, openAdminRig } from '../admin/admin-rig.ts';

const HOSTILE = '<script>alert(1)</script>';
const CANARY = 'canary-prompt-4711';

let rig: AdminRig;
let callerKey = '';
before(async () => {
  rig = await openAdminRig();
  callerKey = readFileSync(join(rig.dataDir, 'api-key'), 'utf8').trim();
  const organization = { id: 'hostile', name: HOSTILE };
  assert.equal((await rig.call('POST', '/admin/orgs', { body: organization })).status, 201);
  await callModel(CANARY);
  await callModel(CANARY, { 'x-user-id': HOSTILE });
});
after(() => rig.close());

const PATHS = [
  '/admin/dashboard/overview?range=1h',
  '/admin/dashboard/live',
  '/admin/dashboard/jobs?range=15m',
  '/admin/dashboard/money',
  '/admin/dashboard/money/default',
  '/admin/dashboard/spend',
  '/admin/requests',
  '/admin/jobs?status=failed',
  '/admin/try',
  '/admin/dlq?fields=summary',
];

function callModel(
  prompt: string,
  headers: Readonly<Record<string, string>> = {},
  fields: object = {},
) {
  const messages = [{ role: 'user', content: prompt }];
  const body = { model: 'claude-sonnet-5-5', max_tokens: 20, messages, ...fields };
  return rig.call('POST', '/v1/messages', { key: callerKey, body, headers });
}

test('every reading answers an operator with JSON and refuses the key of a tenant', async () => {
  for (const path of PATHS) {
    const answer = await rig.call('GET', path);
    assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 200)}`);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal((await rig.call('GET', path, { key: callerKey })).status, 401, path);
  }
  const tried = { key: callerKey, body: { format: 'chat', model: 'gpt-5', prompt: 'x' } };
  assert.equal((await rig.call('POST', '/admin/try', tried)).status, 401);
});

test('prompts and the keys of operator and callers appear in no reading', async () => {
  const secrets = [CANARY, callerKey, rig.gateway.identity.adminKey];
  for (const path of PATHS) {
    const { text } = await rig.call('GET', path);
    for (const secret of secrets) assert.ok(!text.includes(secret), path);
  }
});

test('a served request is listed and has a timeline with its cost', async () => {
  const list = await untilListed();
  const [row] = list;
  assert.equal(row?.['userId'], HOSTILE);
  const details = await rig.call('GET', `/admin/requests/${String(row?.['id'])}`);
  assert.equal(details.status, 200);
  assert.partialDeepStrictEqual(details.body, {
    provider: 'anthropic',
    timeline: {
      outcome: 'OK',
      spans: [{ kind: 'admission' }, { kind: 'attempt', code: 'OK' }, {}],
    },
  });
  assert.equal((await rig.call('GET', '/admin/requests/req_none')).status, 404);
});

test('the timeline of a stream has its first content between its start and its end', async () => {
  const sent = await callModel(CANARY, {}, { stream: true });
  const id = sent.headers.get('x-request-id') ?? '';
  const details = await untilStored(id);
  const { attempts, timeline } = details;
  assert.deepEqual(
    timeline.spans.map(({ kind }) => kind),
    ['admission', 'attempt', 'first-content', 'end'],
  );
  const [, attempt, first] = timeline.spans;
  assert.ok(attempt && first);
  const firstContentMs = first.startedAt - attempt.startedAt;
  assert.ok(firstContentMs >= 0 && first.startedAt <= (attempt.endedAt ?? 0));
  assert.equal(first.endedAt, first.startedAt);
  assert.deepEqual(
    attempts.map((each) => each.firstContentMs),
    [firstContentMs],
  );
});

test('a tried request returns the answer, the sentences of a failure and the steps', async () => {
  const request = { format: 'messages', model: 'claude-sonnet-5-5', prompt: 'Hello' };
  const served = await rig.call('POST', '/admin/try', { body: request });
  assert.partialDeepStrictEqual(served.body, { status: 200, code: null, sentences: [] });
  const missing = { ...request, model: 'no-such-model', locales: ['en', 'de', 'ar'] };
  const failed = await rig.call('POST', '/admin/try', { body: missing });
  assert.partialDeepStrictEqual(failed.body, {
    sentences: [{ locale: 'en' }, { locale: 'de' }, { locale: 'ar', direction: 'rtl' }],
  });
  const unknown = { ...request, scenario: 'usage-limit' };
  assert.equal((await rig.call('POST', '/admin/try', { body: unknown })).status, 404);
});

test('the live stream sends state events with the fields of the JSON answer', async () => {
  const { body } = await rig.call('GET', '/admin/dashboard/live');
  const leaving = new AbortController();
  const stream = await fetch(`${rig.url}/admin/dashboard/live`, {
    headers: {
      authorization: `Bearer ${rig.gateway.identity.adminKey}`,
      accept: 'text/event-stream',
    },
    signal: leaving.signal,
  });
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/^data: .*\n\n/m.test(text)) break;
  }
  leaving.abort();
  const state: unknown = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
  assert.deepEqual(Object.keys(Object(state)), Object.keys(Object(body)));
});

async function untilStored(id: string): Promise<RequestDetails> {
  for (;;) {
    const { status, body } = await rig.call('GET', `/admin/requests/${id}`);
    if (status === 200) return body as RequestDetails;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Usage reaches the store shortly after the answer. */
async function untilListed(): Promise<readonly Record<string, unknown>[]> {
  for (;;) {
    const { body } = await rig.call('GET', '/admin/requests');
    const data: unknown = Reflect.get(Object(body), 'data');
    if (Array.isArray(data) && data.length === 2) return data;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
