// The client against a real gateway: every endpoint's success, refusal and queued job become the same typed results.

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

type Failure = {
  readonly code: string;
  readonly message: string;
  readonly retryAt?: number;
  readonly autoRetry: boolean;
  readonly queueAvailable: boolean;
  readonly requestId?: string;
};
type Answer = {
  readonly kind: string;
  readonly data?: unknown;
  readonly failure?: Failure;
  readonly job?: { readonly id: string; readonly url: string };
};
type Job = { readonly status: string; readonly output: string; readonly lastEventId: number };

/** The part of `spillway/client` under test; its own sources are checked with the types of a browser. */
type Client = {
  readonly send: (path: string, body: unknown, options: object) => Promise<Answer>;
  readonly followJob: (url: string, options: object) => Promise<Job>;
};

const SOURCE = join(resolve(import.meta.dirname, '../../..'), 'src/client/index.ts');
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const REQUESTS: Readonly<Record<string, object>> = {
  '/v1/messages': { model: 'claude-sonnet-5-5', max_tokens: 50, messages: MESSAGES },
  '/v1/chat/completions': { model: 'gpt-5-mini', messages: MESSAGES },
  '/v1/responses': { model: 'gpt-5-mini', input: 'Hello' },
  '/v1beta/models/gemini-2.5-flash:generateContent': {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  },
  '/api/chat': { message: 'Please commit my changes with git' },
};
const LIMITED = ['anthropic', 'openai', 'gemini'];
const RESET_SECONDS = 900;

suite('answers of a real gateway', () => {
  let gateway: TestGateway;
  let client: Client;
  before(async () => {
    gateway = await startTestGateway();
    client = await import(SOURCE);
  });
  after(() => gateway.close());

  /** Stands in for the application's server, which adds the key. */
  function withKey(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${gateway.apiKey}`);
    return fetch(gateway.url + path, { ...init, headers });
  }

  function limitProviders(): void {
    for (const provider of LIMITED)
      gateway.simulator.setScenario({
        provider,
        preset: 'usage-limit',
        resetInSeconds: RESET_SECONDS,
      });
  }

  test('a success is an answer, and a queued request becomes a followed job', async () => {
    for (const [path, body] of Object.entries(REQUESTS)) {
      const answer = await client.send(path, body, { fetch: withKey });
      assert.equal(answer.kind, 'answer', path);
      const consent = path === '/api/chat' ? { ...body, background: true } : body;
      const queued = await client.send(path, consent, { fetch: withKey, queue: true });
      assert.equal(queued.kind, 'queued', path);
      const job = await client.followJob(queued.job?.url ?? '', { fetch: withKey });
      assert.equal(job.status, 'succeeded', path);
      assert.notEqual(job.output, '', path);
    }
  });

  test('a limit is the same failure from every endpoint, with its reset by the clock of the page', async () => {
    limitProviders();
    const resetAt = Date.now() + RESET_SECONDS * 1000;
    for (const [path, body] of Object.entries(REQUESTS)) {
      const { kind, failure } = await client.send(path, body, { fetch: withKey });
      assert.equal(kind, 'failed', path);
      assert.equal(failure?.code, 'AI_LIMIT_REACHED', path);
      assert.match(failure.message, /usage limit/, path);
      assert.equal(failure.autoRetry, false, path);
      assert.equal(failure.queueAvailable, true, path);
      assert.match(failure.requestId ?? '', /^req_/, path);
      // The simulator states whole seconds, and the gateway adds a buffer for clock skew.
      assert.ok(Math.abs((failure.retryAt ?? 0) - resetAt) < 10_000, path);
    }
  });
});
