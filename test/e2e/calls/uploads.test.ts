// Uploads: a body is admitted before it is read, against the organisation's bytes, concurrency, budget and limits, and an
// upload that pauses is ended.

import assert from 'node:assert/strict';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { textAt } from '../../support/response-fields.ts';

const MIB = 2 ** 20;
/** Four bodies of 2 MiB for one organisation, six in all. */
const SETTINGS = `${SINGLE_ATTEMPTS}
server: { bodyLimitBytes: 2MiB, maxOrganizationBodyBytes: 8MiB, maxBodyBytes: 12MiB, uploadIdleTimeoutMs: 4s }
`;

type Answer = { readonly status: number; readonly body: string; readonly connection: string };

type Upload = {
  readonly request: ClientRequest;
  /** Resolves with the answer, whenever it comes. */
  readonly answer: Promise<Answer>;
};

suite('uploads', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => SETTINGS);
  });
  after(() => gateway.close());

  async function newKey(id: string, organization: object = {}): Promise<string> {
    const limits = { requestsPerMinute: 1000, monthlyBudgetUsd: 1000, ...organization };
    await admin('/admin/orgs', { id, ...limits });
    return textAt(await admin(`/admin/orgs/${id}/keys`, { name: 'test' }), 'key');
  }

  async function admin(path: string, body: object): Promise<unknown> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.adminKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201, await response.clone().text());
    return response.json();
  }

  /** Announces a body and sends its first byte only. */
  function begin(
    key: string,
    headers: Record<string, string | number>,
    path = '/v1/messages',
  ): Upload {
    const request = httpRequest(gateway.url + path, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    request.write('{');
    return { request, answer: answerTo(request) };
  }

  function bodyOf(bytes: number): string {
    const body = { model: 'claude-sonnet-4-5', max_tokens: 5, messages: [] as unknown[] };
    body.messages.push({ role: 'user', content: 'x'.repeat(bytes - 200) });
    return JSON.stringify(body);
  }

  /** Opens uploads until one is answered at once; returns the number that were admitted. */
  async function admittedUploads(
    key: string,
    headers: Record<string, string | number>,
    path?: string,
  ) {
    const uploads: Upload[] = [];
    try {
      for (let count = 0; count < 30; count += 1) {
        const upload = begin(key, headers, path);
        uploads.push(upload);
        const answer = await Promise.race([upload.answer, pause(400)]);
        if (answer) return { admitted: count, answer };
      }
      return { admitted: uploads.length, answer: undefined };
    } finally {
      for (const { request } of uploads) request.destroy();
    }
  }

  test('unfinished uploads of an organisation are refused beyond its quota of bytes', async () => {
    const key = await newKey('quota');
    for (const path of ['/v1/messages', '/v1/jobs']) {
      const { admitted, answer } = await admittedUploads(key, { 'content-length': 2 * MIB }, path);
      assert.equal(admitted, 4, path);
      assert.equal(answer?.status, 429);
      assert.match(answer?.body ?? '', /RATE_LIMITED/);
      assert.equal(answer?.connection, 'close');
    }
  });

  test('unfinished uploads of all organisations are refused beyond the quota of the server, small requests are not', async () => {
    const [one, other] = [await newKey('one'), await newKey('other')];
    const held = [1, 2, 3, 4].map(() => begin(one, { 'content-length': 2 * MIB }));
    await Promise.race([Promise.all(held.map(({ answer }) => answer)), pause(100)]);
    const { admitted, answer } = await admittedUploads(other, { 'content-length': 2 * MIB });
    await newKey('third');
    for (const { request } of held) request.destroy();
    assert.equal(admitted, 2);
    assert.equal(answer?.status, 503);
    assert.match(answer?.body ?? '', /CAPACITY_EXHAUSTED/);
  });

  test('the quota is free again after each call', async () => {
    const key = await newKey('again');
    for (let round = 0; round < 6; round += 1) {
      const response = await fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: bodyOf(2 * MIB),
      });
      assert.equal(response.status, 200, await response.text());
    }
  });

  test('an upload without a length is counted as it arrives', async () => {
    const key = await newKey('chunked');
    const held = [1, 2, 3].map(() => begin(key, { 'content-length': 2 * MIB }));
    await Promise.race([Promise.all(held.map(({ answer }) => answer)), pause(100)]);
    const chunked = begin(key, { 'transfer-encoding': 'chunked' });
    chunked.request.write(Buffer.alloc(MIB, ' '));
    const second = begin(key, { 'transfer-encoding': 'chunked' });
    second.request.write(Buffer.alloc(1.5 * MIB, ' '));
    const answer = await Promise.race([chunked.answer, second.answer]);
    for (const { request } of [...held, chunked, second]) request.destroy();
    assert.equal(answer.status, 429, answer.body);
  });

  test('the decoded size of a compressed body counts', async () => {
    const key = await newKey('zipped');
    const body = gzipSync(bodyOf(MIB));
    const responses = await Promise.all(
      Array.from({ length: 4 }, () =>
        fetch(`${gateway.url}/v1/messages`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-encoding': 'gzip' },
          body: new Uint8Array(body),
        }),
      ),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  });

  test('incomplete uploads of an organisation are bounded by its concurrency', async () => {
    const key = await newKey('concurrent', { maxConcurrent: 2 });
    const { admitted, answer } = await admittedUploads(key, { 'content-length': MIB });
    assert.equal(admitted, 2);
    assert.equal(answer?.status, 429);
  });

  test('an organisation without budget is refused with BUDGET_EXCEEDED before its body is read', async () => {
    const key = await newKey('poor', { monthlyBudgetUsd: 0 });
    const unread: Record<string, string | number>[] = [
      { 'content-length': MIB },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const headers of unread) {
      const upload = begin(key, headers);
      const answer = await upload.answer;
      upload.request.destroy();
      assert.equal(answer.status, 402, answer.body);
      assert.match(answer.body, /BUDGET_EXCEEDED/);
      assert.equal(answer.connection, 'close');
    }
  });

  test('an organisation over its request limit is refused before its body is read', async () => {
    const key = await newKey('throttled', { requestsPerMinute: 1 });
    const headers = { authorization: `Bearer ${key}` };
    const init = { method: 'POST', headers, body: bodyOf(1000) };
    assert.equal((await fetch(`${gateway.url}/v1/messages`, init)).status, 200);
    const upload = begin(key, { 'content-length': MIB });
    const answer = await upload.answer;
    upload.request.destroy();
    assert.equal(answer.status, 429, answer.body);
    assert.match(answer.body, /RATE_LIMITED/);
  });

  test('tokens are counted for an organisation without budget, because counting is free', async () => {
    const key = await newKey('counting', { monthlyBudgetUsd: 0 });
    const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: bodyOf(MIB),
    });
    assert.equal(response.status, 200, await response.text());
  });

  test('an upload that pauses is ended with NETWORK_TIMEOUT and gives its quota back', async () => {
    const key = await newKey('slow');
    const uploads = [1, 2, 3, 4].map(() => begin(key, { 'content-length': 2 * MIB }));
    for (const { answer } of uploads) {
      const { status, body } = await answer;
      assert.equal(status, 504, body);
      assert.match(body, /NETWORK_TIMEOUT/);
    }
    for (const { request } of uploads) request.destroy();
    const { admitted } = await admittedUploads(key, { 'content-length': 2 * MIB });
    assert.equal(admitted, 4);
  });
});

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

async function answerTo(request: ClientRequest): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    request.once('close', () => reject(new Error('closed')));
  }).catch(() => undefined);
  // An upload that the test itself ends has no answer.
  if (!response) return new Promise(() => {});
  const body = await text(response);
  return { status: response.statusCode ?? 0, body, connection: response.headers.connection ?? '' };
}
