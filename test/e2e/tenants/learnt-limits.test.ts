// The opposite of an attack: a limit that one organisation meets is learnt by all at once, also if its request is long or quotes
// the vendor's words, and ends by itself.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { ask, type Caller, errorOf, GPT } from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse, type VendorRig } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
`;
/** Headers that state other windows than the exhausted one. */
const ROOMY = {
  'retry-after': '1',
  'x-ratelimit-limit-requests': '14400',
  'x-ratelimit-remaining-requests': '14370',
  'x-ratelimit-limit-tokens': '6000',
  'x-ratelimit-remaining-tokens': '6000',
};
const QUOTA = {
  code: 'insufficient_quota',
  type: 'insufficient_quota',
  message: 'You exceeded your current quota, please check your plan and billing details.',
};

type Headers = Readonly<Record<string, string>>;

const LIMITS: readonly (readonly [string, string, object, Headers, string])[] = [
  [
    'a day that no header counts',
    'RATE_LIMITED',
    {
      message:
        'Rate limit reached for model `x` in organization `y` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 1s.',
    },
    ROOMY,
    'x'.repeat(16_000),
  ],
  [
    'connections that no header counts',
    'RATE_LIMITED',
    { message: 'Number of concurrent connections has exceeded your rate limit.' },
    ROOMY,
    'Hello',
  ],
  [
    'calls of ten seconds that no header counts (Azure)',
    'RATE_LIMITED',
    {
      message:
        'Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 1 second.',
    },
    ROOMY,
    'Hello',
  ],
  [
    'a quota that the prompt quotes',
    'AI_LIMIT_REACHED',
    QUOTA,
    { 'retry-after': '1' },
    JSON.stringify(QUOTA),
  ],
  [
    'a sentence about a long request',
    'AI_LIMIT_REACHED',
    { message: 'Your prepayment credits are depleted.' },
    { 'retry-after': '1' },
    'x'.repeat(600_000),
  ],
  [
    'a sentence whose words the prompt has in other sentences',
    'AI_LIMIT_REACHED',
    { message: 'Your prepayment credits are depleted.' },
    { 'retry-after': '1' },
    'My credits: rate limit, quota, "try again in 20 seconds". Which of them are depleted?',
  ],
];

suite('an organisation whose limits others learn', () => {
  let rig: VendorRig;
  let first: Caller;
  let other: Caller;
  before(async () => {
    rig = await openVendorRig(FILE);
    first = await rig.newTenant();
    other = await rig.newTenant();
  });
  after(() => rig.close());

  for (const [name, code, error, headers, text] of LIMITS)
    test(`teaches ${name}, which ends by itself`, async () => {
      const say = (caller: Caller, content: string) =>
        ask(caller, {
          path: '/v1/chat/completions',
          body: { model: GPT, messages: [{ role: 'user', content }] },
        });
      rig.answerWith((_, response) => refuse(response, 429, { error }, headers));
      assert.equal((await say(first, text)).status, 429);
      const calls = rig.received.length;
      const refused = await say(other, 'Hello');
      assert.equal(refused.status, 429, refused.text);
      assert.equal(errorOf(refused).code, code);
      assert.equal(rig.received.length, calls, 'the provider was asked again');
      rig.answerWith(() => undefined);
      await sleep(systemClock, 2500);
      assert.equal((await say(other, 'Hello')).status, 200);
    });
});
