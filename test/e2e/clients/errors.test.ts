// The official SDKs and failures: each raises its own class with the Spillway code inside, retries where a
// retry can help, and never takes a failed stream for a complete one. Provider calls are checked against the
// simulator's truth log.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { renderError } from '../../../src/errors/index.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const HELLO = [{ role: 'user' as const, content: 'Hello' }];
const PROVIDERS = ['anthropic', 'openai', 'gemini'] as const;

/** An SDK error, reduced to the fields that all three have. */
type Raised = { readonly status: number | undefined; readonly code: string; readonly text: string };

type Sdk = {
  readonly name: (typeof PROVIDERS)[number];
  ask(maxRetries: number, headers?: Record<string, string>): Promise<unknown>;
  /** Resolves with the number of chunks before the clean end. */
  stream(): Promise<number>;
  /** Fails unless the error is of the SDK's own class. */
  read(error: unknown): Raised;
};

let gateway: TestGateway;
/** Requests from the SDKs; the gateway may refuse one without a provider call. */
let sent = 0;

const anthropic: Sdk = {
  name: 'anthropic',
  ask: (maxRetries, headers = {}) =>
    anthropicClient(maxRetries, headers).messages.create({
      model: 'claude-sonnet-5-5',
      max_tokens: 60,
      messages: HELLO,
    }),
  async stream() {
    const stream = await anthropicClient(0, {}).messages.create({
      model: 'claude-sonnet-5-5',
      max_tokens: 60,
      messages: HELLO,
      stream: true,
    });
    return count(stream);
  },
  read(error) {
    assert.ok(error instanceof Anthropic.APIError, String(error));
    return raised(typeof error.status === 'number' ? error.status : undefined, error.error);
  },
};

const openai: Sdk = {
  name: 'openai',
  ask: (maxRetries, headers = {}) =>
    openaiClient(maxRetries, headers).chat.completions.create({
      model: 'gpt-5-mini',
      messages: HELLO,
    }),
  async stream() {
    const stream = await openaiClient(0, {}).chat.completions.create({
      model: 'gpt-5-mini',
      messages: HELLO,
      stream: true,
    });
    return count(stream);
  },
  read(error) {
    assert.ok(error instanceof OpenAI.APIError, String(error));
    const { code } = raised(error.status, error.error);
    return { status: statusOf(error), code, text: error.message };
  },
};

const gemini: Sdk = {
  name: 'gemini',
  ask: (_maxRetries, headers = {}) =>
    googleClient(headers).models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' }),
  async stream() {
    const ask = { model: 'gemini-2.5-flash', contents: 'Hello' };
    return count(await googleClient({}).models.generateContentStream(ask));
  },
  read(error) {
    assert.ok(error instanceof ApiError, String(error));
    return { ...raised(error.status, error.message), text: error.message };
  },
};

const SDKS = [anthropic, openai, gemini];

suite('official SDKs and failures', () => {
  before(async () => {
    gateway = await startTestGateway();
  });
  afterEach(async () => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
    await forgetLimits();
  });
  after(() => gateway.close());

  const CASES = [
    ['overloaded', 503, 'PROVIDER_UNAVAILABLE'],
    ['server-error', 503, 'PROVIDER_UNAVAILABLE'],
    ['credentials-refused', 502, 'AUTH_FAILED'],
    ['credits-exhausted', 429, 'AI_LIMIT_REACHED'],
    ['spend-limit', 429, 'AI_LIMIT_REACHED'],
    ['invalid-request', 400, 'INVALID_REQUEST'],
    ['context-too-long', 400, 'CONTEXT_TOO_LONG'],
    ['content-policy', 400, 'CONTENT_POLICY'],
    ['too-large', 413, 'REQUEST_TOO_LARGE'],
    ['timeout', 504, 'NETWORK_TIMEOUT'],
  ] as const;

  for (const sdk of SDKS) {
    test(`${sdk.name}: raises its own class with the Spillway code`, async () => {
      for (const [preset, status, code] of CASES) {
        // Gemini refuses content with status 200, which its SDK handles itself.
        if (preset === 'content-policy' && sdk.name === 'gemini') continue;
        gateway.simulator.setScenario({ preset });
        const error = await failureOf(sdk.ask(0));
        await forgetLimits();
        // Anthropic's SDK has a class for its vendor's own status of an overload.
        const isOwn = preset === 'overloaded' && sdk.name === 'anthropic';
        assert.deepEqual(
          [preset, sdk.read(error).status, sdk.read(error).code],
          [preset, isOwn ? 529 : status, code],
        );
      }
    });

    test(`${sdk.name}: does not retry an exhausted plan`, async () => {
      gateway.simulator.setScenario({ preset: 'usage-limit' });
      sent = 0;
      const { status, code } = sdk.read(await failureOf(sdk.ask(2)));
      assert.deepEqual([status, code], [429, 'AI_LIMIT_REACHED']);
      assert.equal(gateway.simulator.log().length, 1);
      // Google's SDK accepts no custom fetch and does not retry by default.
      assert.equal(sent, sdk.name === 'gemini' ? 0 : 1);
    });

    test(`${sdk.name}: raises an error in mid-stream`, async () => {
      for (const preset of ['overloaded-mid-stream', 'cut', 'early-end']) {
        gateway.simulator.setScenario({ preset });
        const error = await failureOf(sdk.stream());
        const wanted =
          preset === 'overloaded-mid-stream' ? 'PROVIDER_UNAVAILABLE' : 'NETWORK_TIMEOUT';
        assert.deepEqual([preset, sdk.read(error).code], [preset, wanted]);
      }
    });

    test(`${sdk.name}: gets the message in the reader's language and time zone`, async () => {
      gateway.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 3 * 3600 });
      const reader = { 'accept-language': 'tr', 'x-time-zone': 'Asia/Tokyo' };
      const { text } = sdk.read(await failureOf(sdk.ask(0, reader)));
      const resetTime = Number(
        /"resetTime\\?": ?\\?"?(\d+)/.exec(text)?.[1] ?? (await knownReset()),
      );
      const sentence = renderError(
        'AI_LIMIT_REACHED',
        { resetTime },
        { locale: 'tr', timeZone: 'Asia/Tokyo', now: Date.now() },
      );
      assert.ok(text.includes(sentence), `${text} should say ${sentence}`);
    });
  }

  for (const sdk of [anthropic, openai]) {
    test(`${sdk.name}: waits for the stated delay of a throttle, then succeeds`, async () => {
      gateway.simulator.setScenario({ preset: 'rate-limit', retryAfterMs: 30, times: 1 });
      await sdk.ask(2);
      const outcomes = gateway.simulator.log().map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['refused', 'ok']);
    });
  }
});

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  return assert.fail('the call went well');
}

async function count(pieces: AsyncIterable<unknown>): Promise<number> {
  let received = 0;
  for await (const _ of pieces) received += 1;
  return received;
}

/** The Spillway code is the only upper-case word under `code` or `reason`. */
function raised(status: number | undefined, body: unknown): Raised {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const code = /\\?"spillway_code\\?": ?\\?"([A-Z_]+)/.exec(text)?.[1] ?? 'none';
  return { status, code, text };
}

function statusOf({ status }: { status?: unknown }): number | undefined {
  return typeof status === 'number' ? status : undefined;
}

async function forgetLimits(): Promise<void> {
  for (const provider of PROVIDERS) {
    for (const { region } of await limits(provider))
      await admin('DELETE', `/admin/limits/${provider}/${region}`);
  }
}

type Limit = { readonly provider: string; readonly region: string; readonly resetAt: number };

async function limits(provider: string): Promise<readonly Limit[]> {
  const answer = await admin('GET', '/admin/limits');
  const { data } = (await answer.json()) as { data: readonly Limit[] };
  return data.filter((limit) => limit.provider === provider);
}

/** For an SDK error that shows only the message. */
async function knownReset(): Promise<number> {
  const [limit] = await limits('openai');
  return limit?.resetAt ?? Number.NaN;
}

function admin(method: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.adminKey}` };
  return fetch(gateway.url + path, { method, headers });
}

function anthropicClient(maxRetries: number, defaultHeaders: Record<string, string>): Anthropic {
  const { url, apiKey } = gateway;
  return new Anthropic({ baseURL: url, apiKey, maxRetries, defaultHeaders, fetch: countingFetch });
}

function openaiClient(maxRetries: number, defaultHeaders: Record<string, string>): OpenAI {
  const { url, apiKey } = gateway;
  return new OpenAI({
    baseURL: `${url}/v1`,
    apiKey,
    maxRetries,
    defaultHeaders,
    fetch: countingFetch,
  });
}

const countingFetch: typeof fetch = (input, init) => {
  sent += 1;
  return fetch(input, init);
};

function googleClient(headers: Record<string, string>): GoogleGenAI {
  const { url, apiKey } = gateway;
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, headers } });
}
