// Refusals that concern the size or a feature of one organisation's request, as vendors state them: under 429 and 402, with
// the types and headers of a limit. The account still serves the others.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  administer,
  ask,
  type Caller,
  chatAsk,
  GPT,
  messageBody,
} from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse, type VendorRig } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
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
    hostile = await rig.newTenant();
    other = await rig.newTenant();
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
});
