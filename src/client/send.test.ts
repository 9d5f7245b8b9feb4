import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { readAnswer } from './answer.ts';
import { type Retry, send } from './send.ts';

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
};

let base: string;
let seen: Seen[];
let answers: ((response: ServerResponse) => void)[];

const server = createServer((request, response) => {
  seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
  request.resume().once('end', () => (answers.shift() ?? json(200, { fine: true }))(response));
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  answers = [];
});

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
}

function busy(headers: Record<string, string>, error: object = {}) {
  const body = { code: 'RATE_LIMITED', message: 'Busy.', retryable: true, params: {}, ...error };
  return json(429, { error: body }, headers);
}

suite('send', () => {
  test('returns the answer of a POST with its type and request id', async () => {
    answers = [
      json(
        200,
        { reply: 'Hello' },
        { 'x-request-id': 'req_7', 'x-spillway-degraded': 'stale; age=3' },
      ),
    ];
    const answer = await send<{ reply: string }>('/v1/messages', { hi: 1 }, { base });
    assert.equal(answer.kind === 'answer' && answer.data.reply, 'Hello');
    assert.equal(answer.kind === 'answer' && answer.requestId, 'req_7');
    assert.equal(answer.kind === 'answer' && answer.degraded, 'stale; age=3');
    assert.equal(seen[0]?.method, 'POST');
    assert.ok(seen[0]?.headers['x-time-zone']);
    assert.equal(seen[0]?.headers.authorization, undefined);
  });

  test('repeats a busy request after the stated time under one idempotency key', async () => {
    answers = [
      busy({ 'retry-after-ms': '40', 'retry-after': '9' }),
      busy({ 'retry-after-ms': '30' }),
    ];
    const retries: Retry[] = [];
    const begun = Date.now();
    const answer = await send('/x', {}, { base, onRetry: (retry) => retries.push(retry) });
    assert.equal(answer.kind, 'answer');
    assert.ok(Date.now() - begun >= 70);
    assert.deepEqual(
      retries.map(({ attempt }) => attempt),
      [1, 2],
    );
    assert.equal(retries[0]?.failure.message, 'Busy.');
    assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  });

  test('does not repeat what x-should-retry forbids, what takes too long, or more often than allowed', async () => {
    answers = [busy({ 'retry-after-ms': '1', 'x-should-retry': 'false' })];
    assert.equal((await send('/x', {}, { base })).kind, 'failed');
    answers = [busy({ 'retry-after': '61' })];
    assert.equal((await send('/x', {}, { base })).kind, 'failed');
    assert.equal(seen.length, 2);
    answers = [busy({ 'retry-after-ms': '1' }), busy({ 'retry-after-ms': '1' })];
    assert.equal((await send('/x', {}, { base, retries: 1 })).kind, 'failed');
    assert.equal(seen.length, 4);
    answers = [json(400, { error: { code: 'INVALID_REQUEST', message: 'No.', retryable: false } })];
    const answer = await send('/x', {}, { base });
    assert.equal(answer.kind === 'failed' && answer.failure.code, 'INVALID_REQUEST');
    assert.equal(seen.length, 5);
  });

  test('an aborted wait rejects with the reason', async () => {
    answers = [busy({ 'retry-after': '30' })];
    const leaving = new AbortController();
    const sent = send(
      '/x',
      {},
      { base, signal: leaving.signal, onRetry: () => leaving.abort(new Error('left')) },
    );
    await assert.rejects(sent, /left/);
  });

  test('a server that cannot be reached is a lost connection', async () => {
    const answer = await send('/x', undefined, { base: 'http://127.0.0.1:1', retries: 0 });
    assert.ok(answer.kind === 'failed');
    assert.equal(answer.failure.code, 'NETWORK_TIMEOUT');
    assert.equal(answer.failure.params.phase, 'lost');
    assert.equal(answer.failure.autoRetry, true);
  });

  test("an organisation's key is refused", async () => {
    const headers = { authorization: 'Bearer sk-spill-abc' };
    await assert.rejects(send('/x', {}, { base, headers }), TypeError);
    assert.equal(seen.length, 0);
  });
});

suite('queueing', () => {
  const receipt = {
    id: 'job/1',
    status: 'queued',
    position: 3,
    estimatedStartAt: 1_800_000_000_000,
  };

  test('asks for an asynchronous answer and returns the job where the application offers it', async () => {
    answers = [json(202, receipt, { location: '/v1/jobs/job%2F1', date: '' })];
    const answer = await send('/v1/messages', {}, { base, queue: true });
    assert.ok(answer.kind === 'queued');
    assert.equal(seen[0]?.headers['prefer'], 'respond-async');
    assert.equal(answer.job.url, `${base}/v1/jobs/job%2F1`);
    assert.equal(answer.job.position, 3);
  });

  test('never follows a location on another origin', async () => {
    for (const location of ['https://evil.example/v1/jobs/1', '//evil.example/1']) {
      const response = new Response(JSON.stringify(receipt), {
        status: 202,
        headers: { location },
      });
      const answer = await readAnswer(response, { base: '/ai' });
      assert.equal(answer.kind === 'queued' && answer.job.url, '/ai/v1/jobs/job%2F1');
    }
  });

  test('takes the job of /api/chat, and unwraps its result', async () => {
    const queued = await readAnswer(Response.json({ success: true, result: { jobId: 'j1' } }));
    assert.equal(queued.kind === 'queued' && queued.job.url, '/v1/jobs/j1');
    const replied = await readAnswer<{ reply: string }>(
      Response.json({ success: true, result: { reply: 'Hi' } }),
    );
    assert.equal(replied.kind === 'answer' && replied.data.reply, 'Hi');
    const failed = await readAnswer(Response.json({ success: false, error: 'raw text' }));
    assert.equal(failed.kind === 'failed' && failed.failure.code, 'INTERNAL');
  });
});

test('a streamed answer is read event by event, with the failure that breaks it off', async () => {
  const text =
    'event: delta\ndata: {"text":"Hel"}\n\nevent: error\ndata: {"error":{"code":"PROVIDER_UNAVAILABLE","message":"Broken.","partial":true}}\n\n';
  const response = new Response(text, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
  const answer = await readAnswer(response);
  assert.ok(answer.kind === 'stream');
  const events = await Array.fromAsync(answer.events);
  assert.deepEqual(events[0]?.data, { text: 'Hel' });
  assert.equal(events[0].failure, undefined);
  assert.equal(events[1]?.failure?.message, 'Broken.');
});
