// Idempotency-Key at the endpoints for jobs and administration.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { after, before, describe, it, test } from 'node:test';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  TEST_API_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { tempFolder } from '../../support/temp-folder.ts';

type Given = {
  readonly key?: string;
  readonly bearer?: string;
  readonly body?: object | string;
};
type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

const JOB = { prompt: 'hello', model: 'gpt-4.1-mini' };

async function post(url: string, path: string, given: Given = {}): Promise<Answer> {
  const { key, bearer = TEST_API_KEY, body = JOB } = given;
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

function errorOf({ text }: Answer): Record<string, unknown> {
  return (JSON.parse(text) as { error: Record<string, unknown> }).error;
}

describe('a POST with an Idempotency-Key', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const submit = (given: Given) => post(gateway.url, '/v1/jobs', given);
  const administer = (path: string, given: Given) =>
    post(gateway.url, path, { bearer: TEST_ADMIN_KEY, ...given });

  async function countJobs(): Promise<number> {
    const response = await fetch(`${gateway.url}/v1/jobs?limit=200`, {
      headers: { authorization: `Bearer ${TEST_API_KEY}` },
    });
    return ((await response.json()) as { data: unknown[] }).data.length;
  }

  it('runs once and replays its answer, marked as a replay', async () => {
    const key = randomUUID();
    const jobsBefore = await countJobs();
    const first = await submit({ key });
    const second = await submit({ key });
    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('location'), first.headers.get('location'));
    assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
    assert.notEqual(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal(await countJobs(), jobsBefore + 1);
  });

  it('runs once if fifty arrive concurrently', async () => {
    const key = randomUUID();
    const jobsBefore = await countJobs();
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit({ key })));
    const made = answers.filter((answer) => answer.status === 202 && !isReplay(answer));
    assert.equal(made.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      assert.equal(answer.status, 409);
      const { code, retryable, retryAfterMs } = errorOf(answer);
      assert.deepEqual([code, retryable], ['CONFLICT', true]);
      assert.ok(Number(retryAfterMs) > 0);
    }
    assert.equal(await countJobs(), jobsBefore + 1);
  });

  it('is refused with another payload or path', async () => {
    const key = randomUUID();
    await submit({ key });
    const other = await submit({ key, body: { ...JOB, prompt: 'something else' } });
    assert.equal(other.status, 422);
    assert.equal(errorOf(other)['code'], 'UNPROCESSABLE');
    assert.equal((await post(gateway.url, '/v1/jobs?x=1', { key })).status, 422);
  });

  it('may be corrected under the same key after a refusal', async () => {
    const key = randomUUID();
    assert.equal((await submit({ key, body: { prompt: 1 } })).status, 400);
    assert.equal((await submit({ key, body: '{' })).status, 400);
    assert.equal((await submit({ key, bearer: 'nobody' })).status, 401);
    const corrected = await submit({ key });
    assert.deepEqual([corrected.status, isReplay(corrected)], [202, false]);
  });

  it("is refused with the header's name if the key is invalid", async () => {
    for (const key of ['two words', 'x'.repeat(256)]) {
      const refused = await submit({ key });
      assert.equal(refused.status, 400);
      assert.deepEqual(errorOf(refused)['params'], { field: 'Idempotency-Key' });
    }
  });

  it("is independent of another organisation's equal key", async () => {
    const key = randomUUID();
    await submit({ key });
    assert.equal(
      (await administer('/admin/orgs', { body: { id: 'other', name: 'o' } })).status,
      201,
    );
    const made = await administer('/admin/orgs/other/keys', { body: { name: 'k' } });
    const { key: bearer } = JSON.parse(made.text) as { key: string };
    const theirs = await submit({ key, bearer, body: { ...JOB, prompt: 'theirs' } });
    assert.deepEqual([theirs.status, isReplay(theirs)], [202, false]);
  });

  it('works for operators, separately from every organisation', async () => {
    const key = randomUUID();
    const body = { id: `org-${key}`, name: 'Once' };
    await submit({ key });
    const first = await administer('/admin/orgs', { key, body });
    const second = await administer('/admin/orgs', { key, body });
    assert.deepEqual([first.status, isReplay(first)], [201, false]);
    assert.deepEqual([second.status, isReplay(second), second.text], [201, true, first.text]);
  });

  it('replays a stored failure', async () => {
    const key = randomUUID();
    const first = await administer('/admin/dlq/none/retry', { key, body: {} });
    const second = await administer('/admin/dlq/none/retry', { key, body: {} });
    assert.deepEqual([first.status, isReplay(first)], [404, false]);
    assert.deepEqual([second.status, isReplay(second), second.text], [404, true, first.text]);
  });

  it('never stores a secret: a created key is shown once', async () => {
    const key = randomUUID();
    await administer('/admin/orgs', { body: { id: `secret-${key}`, name: 's' } });
    const given = { key, body: { name: 'k' } };
    assert.equal((await administer(`/admin/orgs/secret-${key}/keys`, given)).status, 201);
    const again = await administer(`/admin/orgs/secret-${key}/keys`, given);
    assert.equal(again.status, 409);
    assert.equal(errorOf(again)['retryable'], false);
    assert.equal(again.headers.get('x-should-retry'), 'false');
  });

  it('is not stored if its caller disconnects in the middle of the body', async () => {
    const key = randomUUID();
    const half = openRequest(`${gateway.url}/v1/jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TEST_API_KEY}`,
        'content-type': 'application/json',
        'content-length': '1000',
        'idempotency-key': key,
      },
    });
    half.on('error', () => {});
    half.write('{"prompt":');
    await new Promise((written) => half.write(' ', written));
    const gone = new Promise((resolve) => half.once('close', resolve));
    half.destroy();
    await gone;
    assert.equal((await submit({ key })).status, 202);
  });

  it('is authenticated before its body is read, at every endpoint', async () => {
    const response = await fetch(`${gateway.url}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, object> };
    const posts = Object.keys(paths).filter((path) => 'post' in (paths[path] ?? {}));
    assert.ok(posts.length > 5);
    for (const path of posts) {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await post(gateway.url, url, { key: 'k', bearer: 'nobody', body: '{' });
      assert.equal(answer.status, 401, path);
    }
  });
});

test('the stored answer is replayed after the process was killed', async (context) => {
  const env = {
    SPILLWAY_DATA_DIR: tempFolder(context),
    SPILLWAY_API_KEY: TEST_API_KEY,
    SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
  };
  const first = runSpillway(['serve'], env);
  context.after(() => first.kill('SIGKILL'));
  const answer = await post(await first.ready(), '/v1/jobs', { key: 'before-the-end' });
  first.kill('SIGKILL');
  await first.ended();
  assert.equal(answer.status, 202);

  const second = runSpillway(['serve'], env);
  context.after(() => second.kill('SIGKILL'));
  const replay = await post(await second.ready(), '/v1/jobs', { key: 'before-the-end' });
  assert.deepEqual([replay.status, isReplay(replay)], [202, true]);
  assert.equal(replay.text, answer.text);
  second.kill('SIGTERM');
  assert.equal((await second.ended()).code, 0);
});
