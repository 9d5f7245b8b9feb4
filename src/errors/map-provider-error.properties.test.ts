import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APIError as AnthropicError } from '@anthropic-ai/sdk';
import * as fc from 'fast-check';
import { APIError as OpenAIError } from 'openai';
import { ERROR_TABLE, type Verdict } from './codes.ts';
import { FAILURES } from './fixtures/all-failures.ts';
import { explainProviderError, mapProviderError } from './map-provider-error.ts';
import { safeParams } from './safe-params.ts';

const FIXTURES = Object.values(FAILURES).flat();

/** Every string of a verdict is a code or a parameter that the table allows. */
function assertSealed(verdict: Verdict): void {
  assert.ok(Object.hasOwn(ERROR_TABLE, verdict.code));
  const { code, params, retryable, retryAfterMs, resetAt, ...rest } = verdict;
  assert.deepEqual(rest, {});
  assert.deepEqual(params, safeParams(code, params));
  assert.equal(typeof retryable, 'boolean');
  assert.ok(retryAfterMs === undefined || (Number.isInteger(retryAfterMs) && retryAfterMs >= 0));
  assert.ok(resetAt === undefined || (Number.isInteger(resetAt) && resetAt > 0));
}

test('an arbitrary value gets a verdict and never throws', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
  const context = fc.record({ status: fc.integer(), headers: anything, now: fc.double() });
  fc.assert(
    fc.property(anything, context, (failure, around) => {
      assertSealed(mapProviderError(failure, around));
    }),
    { numRuns: 2_000 },
  );
});

test('revoked proxies, throwing proxies, functions and symbols map to INTERNAL', () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no');
      },
      getPrototypeOf: () => {
        throw new Error('no');
      },
    },
  );
  for (const failure of [
    revoked.proxy,
    throwing,
    () => {},
    Symbol('x'),
    10n,
    new Date(Number.NaN),
  ]) {
    assert.equal(mapProviderError(failure).code, 'INTERNAL');
  }
});

const words = fc.constantFrom(
  'rate limit exceeded',
  'try again in ',
  'resets at ',
  '1m26.4s',
  '3pm (Europe/',
  '|1754636400',
  '{"error":{"message":"',
  '"}}',
  "{'code': ",
  '<html><title>',
  'data: ',
  '\u001b[31m',
  '2026-04-01 at 00:00 UTC',
  '429',
  'x'.repeat(500),
  '\n',
  '余额不足',
);

test('fragments of errors in any order get a verdict', () => {
  const text = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(undefined, 200, 400, 429, 500), (failure, status) => {
      assertSealed(
        mapProviderError(failure, { now: 1_772_366_400_000, ...(status && { status }) }),
      );
    }),
    { numRuns: 2_000 },
  );
});

test('the same failure gets the same verdict twice', () => {
  for (const { failure, context } of FIXTURES) {
    const first = mapProviderError(failure, context);
    assert.deepEqual(mapProviderError(failure, context), first);
  }
});

test('a canary planted in a failure appears neither in the verdict nor in the rule', () => {
  for (const { failure, context } of FIXTURES) {
    const verdict = explainProviderError(withCanaries(failure), context);
    assert.doesNotMatch(JSON.stringify(verdict), /canary/i);
  }
});

test('text beyond the first 8 KiB does not change the verdict', () => {
  const padding = 'lorem ipsum '.repeat(700);
  for (const behind of [
    '',
    'usage limit reached|1754636400',
    'try again in 5s',
    '{"error":{"code":429}}',
  ]) {
    assert.deepEqual(mapProviderError(padding + behind), mapProviderError(padding));
  }
});

const NATIVE = [
  {
    status: 429,
    type: 'rate_limit_error',
    message: 'Rate limit reached. Please try again in 2.5s.',
  },
  { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 9 tokens > 8 maximum',
  },
  { status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low' },
  { status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota' },
];

test('a failure gets the same verdict as text, error, SDK error, response and bytes', () => {
  for (const { status, type, message } of NATIVE) {
    const body = { type: 'error', error: { type, message } };
    const json = JSON.stringify(body);
    const headers = new Headers();
    const answer = mapProviderError({ status, headers: {}, body });
    const forms: Readonly<Record<string, unknown>> = {
      text: `${status} ${json}`,
      'client text': `API Error: ${status} ${json} · Please try again`,
      error: new Error(`${status} ${json}`),
      'wrapped error': new Error('call failed', { cause: new Error(`${status} ${json}`) }),
      'Anthropic SDK': AnthropicError.generate(status, body, undefined, headers),
      'OpenAI SDK': OpenAIError.generate(status, body, undefined, headers),
      'AI SDK': Object.assign(new Error(message), {
        name: 'AI_APICallError',
        statusCode: status,
        responseHeaders: {},
        responseBody: json,
        data: body,
      }),
      axios: Object.assign(new Error(`Request failed with status code ${status}`), {
        name: 'AxiosError',
        response: { status, headers: {}, data: body },
      }),
      'text body': { status, body: json },
      bytes: { status, body: new TextEncoder().encode(json) },
    };
    for (const [form, failure] of Object.entries(forms)) {
      assert.deepEqual(mapProviderError(failure), answer, `${type} as ${form}`);
    }
    assert.deepEqual(mapProviderError(json, { status, headers }), answer);
  }
});

/** Plants secrets and names after every sentence and in every field that a reader might forward. */
function withCanaries(failure: unknown): unknown {
  if (typeof failure === 'string') return `${failure} (org-canary, https://canary.internal)`;
  if (typeof failure !== 'object' || failure === null) return failure;
  const planted = {
    request_id: 'req_canary',
    param: 'canary',
    field: 'sk-canary',
    code: 'canary',
    name: 'canary',
    stack: 'at canary (/srv/canary.ts:1:1)',
    details: [{ reason: 'CANARY', quotaId: 'canary', retryDelay: 'canary' }],
    headers: { 'x-canary': 'canary', server: 'canary' },
  };
  const message = failure instanceof Error ? `${failure.message} canary` : undefined;
  return { ...planted, ...failure, ...(message && { message }), metadata: planted };
}
