import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { systemClock } from '../kernel/clock.ts';
import { startSimulator } from './simulator.ts';
import { digest, hashCredential } from './truth/digest.ts';

const BODY = { model: 'gpt-x', messages: [{ role: 'user', content: 'hello' }] };

type Call = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

function post(url: string, body: unknown, init: Call = {}): Promise<Response> {
  const headers = { authorization: 'Bearer sk-secret-key', ...init.headers };
  return fetch(url, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

test('the log records every request exactly and holds no credential', async (t) => {
  const clock = createTestClock(5_000);
  const simulator = await startSimulator({ clock });
  t.after(() => simulator.close());
  const response = await post(`${simulator.url}/groq/v1/chat/completions?x=1`, BODY, {
    headers: { 'idempotency-key': 'once', 'x-request-id': 'req-1' },
  });
  await response.text();
  const [entry] = simulator.log();
  assert.partialDeepStrictEqual(entry, {
    sequence: 1,
    startedAt: 5_000,
    finishedAt: 5_000,
    abortedAt: null,
    provider: 'groq',
    dialect: 'openai',
    operation: 'chat_completions',
    method: 'POST',
    path: '/v1/chat/completions',
    model: 'gpt-x',
    stream: false,
    credentialHash: hashCredential('sk-secret-key'),
    status: 200,
    outcome: 'ok',
    requestId: 'req-1',
    idempotencyKey: 'once',
    bodyBytes: JSON.stringify(BODY).length,
    bodyDigest: digest(JSON.stringify(BODY)),
    scenario: 'default',
  });
  assert.ok(entry?.headerNames.includes('authorization'));
  assert.ok(!JSON.stringify(simulator.log()).includes('sk-secret-key'));
});

test('a request header can carry a scenario, and an invalid one is rejected with a message', async (t) => {
  const simulator = await startSimulator({ clock: systemClock });
  t.after(() => simulator.close());
  const url = `${simulator.url}/v1/chat/completions`;
  const overloaded = await post(url, BODY, { headers: { 'x-simulator-scenario': 'overloaded' } });
  assert.equal(overloaded.status, 503);
  assert.equal(simulator.log().at(-1)?.scenario, 'overloaded');
  const wrong = await post(url, BODY, { headers: { 'x-simulator-scenario': 'gremlins' } });
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /no preset \\"gremlins\\"/);
});

test('requests that the provider would reject are refused and consume no scenario', async (t) => {
  const simulator = await startSimulator({ clock: systemClock });
  t.after(() => simulator.close());
  simulator.setScenario({ fault: 'overloaded', times: 1 });
  const url = `${simulator.url}/v1/chat/completions`;
  const statuses = [
    (await fetch(url, { method: 'POST', body: JSON.stringify(BODY) })).status,
    (await post(url, BODY, { body: '{"model":' })).status,
    (await post(url, [1])).status,
    (await post(url, { model: 'x' })).status,
    (await post(`${simulator.url}/v1/nothing`, BODY)).status,
  ];
  assert.deepEqual(statuses, [401, 400, 400, 400, 404]);
  assert.equal((await post(url, BODY)).status, 503);
});

test('a disconnect in mid-stream is logged with the chunks sent until then', async (t) => {
  const clock = createTestClock();
  const simulator = await startSimulator({ clock });
  t.after(() => simulator.close());
  simulator.setScenario({ chunks: 50, chunkBytes: 40, chunkDelayMs: 10 });
  const control = new AbortController();
  const response = await post(
    `${simulator.url}/v1/chat/completions`,
    { ...BODY, stream: true },
    { signal: control.signal },
  );
  await clock.advance(30);
  const reading = response.text();
  await simulator.waitFor((entry) => entry.chunksSent === 3);
  control.abort();
  await assert.rejects(reading);
  const entry = await simulator.waitFor(({ finishedAt }) => finishedAt !== null);
  assert.deepEqual(
    [entry.outcome, entry.chunksSent, entry.outputTokens],
    ['aborted_by_client', 3, 30],
  );
  assert.equal(entry.abortedAt, clock.now());
  assert.equal(clock.pendingTimers(), 0);
});

test('a disconnect before the answer is logged', async (t) => {
  const clock = createTestClock();
  const simulator = await startSimulator({ clock });
  t.after(() => simulator.close());
  simulator.setScenario({ latencyMs: 60_000 });
  const control = new AbortController();
  const calling = post(`${simulator.url}/v1/chat/completions`, BODY, { signal: control.signal });
  await simulator.waitFor((entry) => entry.scenario === 'custom');
  control.abort();
  await assert.rejects(calling);
  const entry = await simulator.waitFor(({ outcome }) => outcome === 'aborted_by_client');
  assert.deepEqual([entry.status, entry.inputTokens], [null, 0]);
  assert.equal(clock.pendingTimers(), 0);
});

test('latency and pace follow the clock', async (t) => {
  const clock = createTestClock(0);
  const simulator = await startSimulator({ clock });
  t.after(() => simulator.close());
  simulator.setScenario({ latencyMs: 500, tokensPerSecond: 20, outputTokens: 40 });
  const calling = post(`${simulator.url}/v1/chat/completions`, { ...BODY, stream: true });
  await simulator.waitFor((entry) => entry.scenario === 'custom');
  while (simulator.log()[0]?.finishedAt === null) await clock.advance(100);
  await (await calling).text();
  assert.equal(simulator.log()[0]?.finishedAt, 2_500);
});

test('a slow reader pauses the stream instead of filling memory', async (t) => {
  const simulator = await startSimulator({ clock: systemClock });
  t.after(() => simulator.close());
  simulator.setScenario({ chunks: 1_000, chunkBytes: 65_536 });
  const body = JSON.stringify({ ...BODY, stream: true });
  const socket = connect(simulator.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  const entry = await simulator.waitFor(({ chunksSent }) => chunksSent > 3);
  assert.equal(entry.outcome, 'pending');
  socket.destroy();
  const done = await simulator.waitFor(({ finishedAt }) => finishedAt !== null);
  assert.equal(done.outcome, 'aborted_by_client');
  assert.ok(done.chunksSent < 500);
});

test('close ends open calls immediately and is idempotent', async () => {
  const simulator = await startSimulator({ clock: systemClock });
  simulator.setScenario({ preset: 'hang' });
  const calling = post(`${simulator.url}/v1/chat/completions`, BODY);
  const failing = assert.rejects(calling);
  await simulator.waitFor((entry) => entry.outcome === 'hung');
  const closing = simulator.close();
  assert.equal(simulator.close(), closing);
  await closing;
  await failing;
  await assert.rejects(
    simulator.waitFor(() => false),
    /closed/,
  );
  await assert.rejects(fetch(simulator.url));
});

test('two simulators run side by side', async (t) => {
  const first = await startSimulator({ clock: systemClock });
  const second = await startSimulator({ clock: systemClock });
  t.after(() => Promise.all([first.close(), second.close()]));
  first.setScenario({ preset: 'overloaded' });
  assert.equal((await post(`${first.url}/v1/chat/completions`, BODY)).status, 503);
  assert.equal((await post(`${second.url}/v1/chat/completions`, BODY)).status, 200);
  assert.deepEqual([first.log().length, second.log().length], [1, 1]);
});

test('a port in use is reported as an error', async (t) => {
  const simulator = await startSimulator({ clock: systemClock });
  t.after(() => simulator.close());
  await assert.rejects(startSimulator({ clock: systemClock, port: simulator.port }), /EADDRINUSE/);
});
