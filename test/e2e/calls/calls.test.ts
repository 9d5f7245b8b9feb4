// Calls through the gateway while the providers misbehave. Provider calls are checked against the simulator's
// truth log; usage is read over HTTP, as a caller would.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, suite, test } from 'node:test';
import type { TruthEntry } from '../../../src/simulator/simulator.ts';
import { readUntilBroken } from '../../support/gateway/read-until-broken.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { CLEAN_END, FORMATS, type Format, lastEvent, requestIn } from './format-requests.ts';

const SECRET = 'sk-canary-0123456789abcdef';

let gateway: TestGateway;

suite('calls to misbehaving providers', () => {
  before(async () => {
    gateway = await startTestGateway();
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  for (const format of FORMATS) {
    for (const isStream of [false, true]) {
      const how = isStream ? 'streamed' : 'unary';

      test(`${format}, ${how}: no provider detail reaches the caller`, async () => {
        for (const scenario of [
          { preset: 'leaky', secret: SECRET },
          { preset: 'credentials-refused', secret: SECRET },
          { preset: 'invalid-request', secret: SECRET },
          { preset: 'nginx-502' },
        ]) {
          gateway.simulator.setScenario(scenario);
          const { status, headers, body } = await call(format, isStream);
          assert.ok(status >= 400, body);
          assertClean(body, headers, scenario.preset);
        }
      });

      test(`${format}, ${how}: a 200 without a valid answer is a failure`, async () => {
        for (const preset of ['empty-body', 'cut', 'truncated-json', 'reset']) {
          gateway.simulator.setScenario({ preset });
          const { status, body } = await call(format, isStream);
          if (status === 200) assert.equal(lastEvent(body).partial, true, `${preset}: ${body}`);
          else assert.ok(status >= 500, `${preset}: ${status}`);
        }
      });
    }

    test(`${format}: an error in mid-stream becomes an error event, no clean end, and is metered`, async () => {
      // Paced, because an error that arrives together with the first content is still answered with a status.
      gateway.simulator.setScenario({
        preset: 'overloaded-mid-stream',
        secret: SECRET,
        chunkDelayMs: 30,
      });
      const own = userName();
      const { status, headers, body } = await call(format, true, { 'x-user-id': own });
      assert.equal(status, 200);
      assert.equal(lastEvent(body).partial, true);
      assert.ok(!body.includes(CLEAN_END[format]));
      assertClean(body, headers, 'mid-stream');
      const used = await usageOf(own);
      assert.equal(used.attempts, 1);
      assert.equal(used.failures, 1);
      assert.ok(used.outputTokens > 0);
    });

    test(`${format}: a stream that is cut or ends early has no clean end`, async () => {
      for (const preset of ['cut', 'early-end']) {
        gateway.simulator.setScenario({ preset });
        const own = userName();
        const { body } = await call(format, true, { 'x-user-id': own });
        assert.equal(lastEvent(body).partial, true, preset);
        assert.ok(!body.includes(CLEAN_END[format]), preset);
        assert.equal((await usageOf(own)).attempts, 1);
      }
    });

    test(`${format}: a disconnect in mid-stream ends the provider call, metered once`, async () => {
      gateway.simulator.clearLog();
      gateway.simulator.setScenario({ preset: 'stall' });
      const own = userName();
      const response = await begin(format, true, { 'x-user-id': own });
      await once(response, 'data');
      response.destroy();
      const entry = await gateway.simulator.waitFor((each) => each.abortedAt !== null);
      assert.equal(entry.stream, true);
      const used = await usageOf(own);
      assert.equal(used.attempts, 1);
      assert.ok(used.outputTokens > 0);
    });
  }

  test('a disconnect before any answer ends the provider call', async () => {
    gateway.simulator.clearLog();
    gateway.simulator.setScenario({ preset: 'hang' });
    const request = open('anthropic', false, {});
    request.on('error', () => {});
    await gateway.simulator.waitFor((entry) => entry.outcome === 'hung');
    request.destroy();
    await gateway.simulator.waitFor((entry) => entry.abortedAt !== null);
  });

  test("a caller that does not read pauses the provider's stream and later gets all of it", async () => {
    const pieces = 1024;
    const answer = 'x'.repeat(pieces * 64 * 1024);
    gateway.simulator.clearLog();
    gateway.simulator.setScenario({ provider: 'openai', text: answer, chunkBytes: 64 * 1024 });
    const response = await begin('openai', true, {});
    // Other calls are served meanwhile, long enough for an unbounded relay to read the whole stream.
    for (let index = 0; index < 60; index += 1)
      assert.equal((await call('anthropic', false)).status, 200);
    const [entry] = gateway.simulator.log().filter(isOpenai);
    assert.equal(entry?.outcome, 'pending');
    assert.ok(entry.chunksSent < pieces / 2, `${entry.chunksSent} of ${pieces} were taken`);
    const body = await text(response);
    assert.ok(body.includes('[DONE]'));
    assert.ok(body.length > answer.length);
    assert.equal(gateway.simulator.log().find(isOpenai)?.outcome, 'ok');
  });

  test('a request gets a Spillway id, and a valid caller id is echoed', async () => {
    for (const [given, expected] of [
      ['my-request.1', 'my-request.1'],
      ['no spaces', null],
      ['<script>', null],
      ['x'.repeat(129), null],
    ] as const) {
      for (const preset of ['healthy', 'server-error']) {
        gateway.simulator.setScenario({ preset });
        const { headers } = await call('anthropic', false, { 'x-request-id': given });
        assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
        assert.equal(headers.get('x-correlation-id'), expected, `${preset} ${given}`);
      }
    }
    const first = await call('openai', false);
    const second = await call('openai', false);
    assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'));
  });

  test('no caller header and no caller key reaches the provider', async () => {
    gateway.simulator.clearLog();
    await call('anthropic', false, {
      cookie: 'a=b',
      'x-unknown': '1',
      'x-forwarded-for': '1.2.3.4',
    });
    const [entry] = gateway.simulator.log();
    const unwanted = ['cookie', 'x-unknown', 'x-forwarded-for', 'authorization'];
    assert.deepEqual(
      entry?.headerNames.filter((name) => unwanted.includes(name)),
      [],
    );
  });
});

for (const format of FORMATS) {
  test(`${format}: a limit met by one call refuses the next without a provider call`, async (context) => {
    gateway = await startTestGateway();
    context.after(() => gateway.close());
    gateway.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const first = await call(format, false);
    const asked = gateway.simulator.log().length;
    assert.equal(asked, 1);
    gateway.simulator.resetScenario();
    for (const isStream of [false, true]) {
      const { status, headers, body } = await call(format, isStream);
      assert.equal(status, first.status);
      assert.ok(body.includes('AI_LIMIT_REACHED'), body);
      const waitSeconds = Number(headers.get('retry-after'));
      assert.ok(waitSeconds > 500 && waitSeconds < 700, String(waitSeconds));
    }
    assert.equal(gateway.simulator.log().length, asked);
    const other = FORMATS.find((each) => each !== format) ?? 'openai';
    assert.equal((await call(other, false)).status, 200);
  });
}

test('gemini without SSE: a failed stream ends as a list with the error as its last element', async (context) => {
  gateway = await startTestGateway();
  context.after(() => gateway.close());
  for (const preset of ['overloaded-mid-stream', 'cut', 'early-end']) {
    gateway.simulator.setScenario({ preset, secret: SECRET, chunkDelayMs: 30 });
    const response = await fetch(
      `${gateway.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent`,
      {
        method: 'POST',
        headers: credential(),
        body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
      },
    );
    assert.equal(response.status, 200, preset);
    const body = await readUntilBroken(response);
    const elements = JSON.parse(body) as { candidates?: unknown; error?: { details: unknown[] } }[];
    assert.ok(elements.length > 1, preset);
    assert.ok(elements.slice(0, -1).every(({ candidates }) => candidates !== undefined));
    assert.match(JSON.stringify(elements.at(-1)?.error?.details[0]), /"partial":"true"/);
    assertClean(body, response.headers, preset);
  }
});

type Answer = { status: number; headers: Headers; body: string };

async function call(
  format: Format,
  isStream: boolean,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { path, body } = requestIn(format, isStream);
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { ...credential(), ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await readUntilBroken(response),
  };
}

/** Sends a request; the test reads the answer itself. */
function open(format: Format, isStream: boolean, headers: Record<string, string>) {
  const { path, body } = requestIn(format, isStream);
  const request = httpRequest(gateway.url + path, {
    method: 'POST',
    headers: { ...credential(), ...headers },
    agent: false,
  });
  request.end(JSON.stringify(body));
  return request;
}

async function begin(
  format: Format,
  isStream: boolean,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const request = open(format, isStream, headers);
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
}

function credential(): Record<string, string> {
  return { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
}

function assertClean(body: string, headers: Headers, what: string): void {
  const all = [body, ...[...headers].flat()].join('\n');
  for (const foreign of [SECRET, 'sk-canary', 'nginx', gateway.apiKey, gateway.simulator.url])
    assert.ok(!all.includes(foreign), `${what} leaks ${foreign}: ${all}`);
  for (const name of headers.keys())
    assert.ok(!/^(anthropic|openai|x-goog|server$|cf-)/.test(name), `${what}: ${name}`);
  // Reported limits are the organisation's own.
  const limit = headers.get('x-ratelimit-limit-requests');
  assert.ok(limit === null || limit === '1000000', `${what}: a limit of ${limit}`);
}

function isOpenai(entry: TruthEntry): boolean {
  return entry.dialect === 'openai';
}

let users = 0;
function userName(): string {
  users += 1;
  return `user-${users}`;
}

type Used = { group: string; attempts: number; failures: number; outputTokens: number };

/** One user's usage, as soon as the store has it. */
async function usageOf(user: string): Promise<Used> {
  const deadline = AbortSignal.timeout(20_000);
  for (;;) {
    const response = await fetch(`${gateway.url}/v1/usage?groupBy=user`, {
      headers: credential(),
      signal: deadline,
    });
    const { data } = (await response.json()) as { data: Used[] };
    const found = data.find(({ group }) => group === user);
    if (found) return found;
  }
}
