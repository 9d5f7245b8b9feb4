// Refusals that concern the size or a feature of one organisation's request, as vendors state them: under 429 and 402, with
// the types and headers of a limit. The account still serves the others.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import {
  type Ask,
  administer,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  GPT,
  messageBody,
} from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse, type VendorRig } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
prices: { tiers: { flex: 0.5 } }
`;
const OVERSIZED = 'oversized '.repeat(40_000);

const openai = (message: string) => ({
  error: { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' },
});
const anthropic = (message: string) => ({
  type: 'error',
  error: { type: 'rate_limit_error', message },
});

const REFUSALS: readonly (readonly [string, number, object])[] = [
  [
    'a 429 "Request too large" of OpenAI',
    429,
    openai(
      'Request too large for gpt-4 in organization org-1 on tokens per min (TPM): Limit 10000, Requested 20000. The input or output tokens must be reduced in order to run successfully.',
    ),
  ],
  [
    'a 413 "Request too large" of Groq',
    413,
    openai(
      'Request too large for model `x` in organization `y` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.',
    ),
  ],
  [
    'a 429 with a rounded size of Groq',
    429,
    openai(
      'Rate limit reached for model `x` in organization `y` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s.',
    ),
  ],
  [
    'a 400 for the budget of an end user (LiteLLM)',
    400,
    {
      error: {
        message: 'ExceededBudget: End User=x over budget. Spend=0.0008, Budget=0.0001',
        type: 'budget_exceeded',
        code: '400',
      },
    },
  ],
  [
    'a 429 for the end user of a request (LiteLLM)',
    429,
    {
      error: {
        message:
          'Rate limit exceeded for end_user: x. Limit type: requests. Current limit: 2, Remaining: 0.',
        type: 'throttling_error',
        code: '429',
      },
    },
  ],
  [
    'a 400 for a model whose terms are not accepted (Groq)',
    400,
    {
      error: {
        message:
          'The model `x` requires terms acceptance. Please have the org admin accept the terms.',
        type: 'invalid_request_error',
        code: 'model_terms_required',
      },
    },
  ],
  [
    'a 401 for an operation that the key may not perform (Azure)',
    401,
    {
      error: {
        code: 'PermissionDenied',
        message: 'The principal lacks the required data action to perform the operation.',
      },
    },
  ],
  [
    'a 402 for more input than the credit pays for (OpenRouter)',
    402,
    {
      error: {
        message:
          'Prompt tokens limit exceeded: 41234 > 8976. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
        code: 402,
      },
    },
  ],
  [
    'a 401 for a model that is not on the list of the key (LiteLLM)',
    401,
    {
      error: {
        message:
          "key not allowed to access model. This key can only access models=['a']. Tried to access b",
        type: 'key_model_access_denied',
        code: '401',
      },
    },
  ],
  [
    'a 429 for a long context',
    429,
    anthropic('Extra usage is required for long context requests.'),
  ],
  [
    'a 402 for more output than the credit pays for',
    402,
    {
      error: {
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1000.',
        code: 402,
      },
    },
  ],
];

suite('an organisation beside one with oversized requests', () => {
  let rig: VendorRig;
  let hostile: Caller;
  let other: Caller;
  before(async () => {
    rig = await openVendorRig(FILE);
    other = await rig.newTenant();
  });
  // The refusal of a credential is remembered for the organisation that met it.
  beforeEach(async () => {
    hostile = await rig.newTenant();
  });
  after(() => rig.close());

  for (const [name, status, body] of REFUSALS)
    for (const text of ['oversized', OVERSIZED])
      for (const seconds of ['30', '4000'])
        test(`is served after ${name} with retry-after ${seconds} and ${text.length} characters`, async () => {
          rig.answerWith(({ body: sent }, response) =>
            sent.includes('oversized')
              ? refuse(response, status, body, { 'retry-after': seconds })
              : undefined,
          );
          const messages = [{ role: 'user', content: text }];
          for (const [asked, whole] of [
            [{}, messageBody()],
            [chatAsk(), { model: GPT }],
          ] as const) {
            const sent = { ...whole, messages };
            assert.notEqual((await ask(hostile, { ...asked, body: sent })).status, 200);
            const answer = await ask(other, asked);
            assert.equal(answer.status, 200, answer.text);
          }
          assert.deepEqual((await administer(rig, 'GET', '/admin/limits'))['data'], []);
        });

  test('is served after a throttle without numbers of a request that takes most of what was left', async () => {
    const headers = { 'x-ratelimit-limit-tokens': '10000', 'x-ratelimit-remaining-tokens': '9000' };
    const choices = [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const error = {
      code: '429',
      message: 'You have exceeded token rate limit of your pricing tier.',
    };
    rig.answerWith(({ body }, response) =>
      body.includes('16000')
        ? refuse(response, 429, { error }, { 'retry-after': '60' })
        : refuse(response, 200, { choices, usage }, headers),
    );
    const sent = { model: GPT, messages: [{ role: 'user', content: 'Hello' }] };
    const path = '/v1/chat/completions';
    assert.equal((await ask(other, { path, body: sent })).status, 200);
    const met = await ask(hostile, { path, body: { ...sent, max_completion_tokens: 16_000 } });
    assert.equal(met.status, 429, met.text);
    const answer = await ask(other, { path, body: sent });
    assert.equal(answer.status, 200, answer.text);
  });

  const messages = [{ role: 'user', content: 'Hello' }];
  const APART: readonly (readonly [string, Ask, RegExp])[] = [
    [
      'the counting of tokens',
      { path: '/v1/messages/count_tokens', body: { model: CLAUDE, messages } },
      /count_tokens/,
    ],
    [
      'the flex tier',
      { path: '/v1/chat/completions', body: { model: GPT, messages, service_tier: 'flex' } },
      /flex/,
    ],
  ];

  for (const [name, apart, pattern] of APART)
    test(`is served after a throttle of ${name}, and at full speed after its scarce headroom`, async () => {
      const scarce = {
        'anthropic-ratelimit-requests-limit': '100',
        'anthropic-ratelimit-requests-remaining': '1',
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + 60_000).toISOString(),
        'x-ratelimit-limit-requests': '100',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '60s',
      };
      const [asked, plain] = apart.path?.includes('count')
        ? [apart, {}]
        : [apart, { path: '/v1/chat/completions', body: { model: GPT, messages } }];
      for (const seconds of ['30', '600']) {
        rig.answerWith(({ path, body }, response) =>
          pattern.test(path + body)
            ? refuse(
                response,
                429,
                { error: { message: 'Resource unavailable' } },
                { 'retry-after': seconds },
              )
            : undefined,
        );
        const met = await ask(hostile, asked);
        assert.equal(met.status, 429, met.text);
        assert.equal((await ask(other, plain)).status, 200);
        assert.deepEqual((await administer(rig, 'GET', '/admin/limits'))['data'], []);
      }
      rig.answerWith(({ path, body }, response) => {
        if (!pattern.test(path + body)) return undefined;
        const choices = [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }];
        const usage = { prompt_tokens: 1, completion_tokens: 1 };
        return refuse(
          response,
          200,
          { input_tokens: 3, choices, usage, service_tier: 'flex' },
          scarce,
        );
      });
      assert.equal((await ask(hostile, asked)).status, 200);
      for (let call = 0; call < 3; call += 1) {
        const answer = await ask(other, plain);
        assert.equal(answer.status, 200, answer.text);
      }
    });
});
