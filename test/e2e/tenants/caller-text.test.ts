// A property: the text of one organisation's request or job, in any position, quoted by the provider in any refusal, makes
// no answer to another organisation worse. Each run sends the same request twice, with harmless and with hostile text, under the
// same failure of the provider, and compares the other organisation's answers afterwards.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as fc from 'fast-check';
import { ECHOES } from '../../../src/simulator/scenario/echo.ts';
import { STATED_FAULTS } from '../../../src/simulator/scenario/scenario.ts';
import {
  type Ask,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  errorOf,
  GPT,
  messageBody,
  newTenant,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { forgetLearnt } from './learnt-state.ts';

const FILE = () => `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
breaker: { failures: 2 }
`;
/** The accounts' own limits are not the subject. */
const UNLIMITED = {
  ANTHROPIC_RATE_LIMIT: '1000000',
  OPENAI_RATE_LIMIT: '1000000',
  GEMINI_RATE_LIMIT: '1000000',
};
const ROOMY = { requestsPerMinute: 1_000_000, monthlyBudgetUsd: 100_000 };
const RUNS = 200;
const SEED = 20_261_116;

/** Phrases, times, names and JSON that the error mapping reads as a provider's statement. */
const STATEMENTS = [
  'credit balance is too low try again in 700 hours',
  'usage limit reached|4070908800',
  'overloaded_error',
  'rate_limit_error',
  'insufficient_quota',
  'Rate limit reached for gpt-4o in organization org-1 on tokens per day (TPD): Please try again in 7h12m.',
  'Quota exceeded for metric: x, limit: 0, model: gemini-2.5-pro',
  'You have reached your specified API usage limits. You will regain access on 2098-01-01 at 00:00 UTC.',
  'Weekly limit reached ∙ resets Oct 9 at 5pm (UTC)',
  'retry-after: 99999',
  'status 529 Overloaded, wait 40 minutes',
  'API key not valid. Please pass a valid API key.',
  '{"error":{"type":"overloaded_error","code":"insufficient_quota","retry_after":99999}}',
  'content policy violation',
  'per day per project quota exhausted, available in 3 weeks',
  '余额不足 请在 3 小时后重试',
];
/** Neither a phrase nor a time. */
const HARMLESS = 'plain words';

/** A job is submitted, and its first run ends. */
type Attack = Ask & { readonly isJob?: boolean };
type Position = (text: string) => Attack;

const anthropic = (fields: object, asked: Ask = {}): Ask => ({
  ...asked,
  body: { ...messageBody(asked), ...fields },
});
const chat = (fields: object, stream = false): Ask => ({
  ...chatAsk(),
  body: { model: GPT, messages: [{ role: 'user', content: 'Hello' }], stream, ...fields },
});

const job = (fields: object, headers: Readonly<Record<string, string>> = {}): Attack => ({
  path: '/v1/jobs',
  body: { model: CLAUDE, prompt: 'Hello', ...fields },
  headers,
  isJob: true,
});

const POSITIONS: Readonly<Record<string, Position>> = {
  'a field name': (text) => anthropic({ [text]: 1 }),
  'a field name of a stream': (text) => anthropic({ [text]: 1 }, { stream: true }),
  'a field value': (text) => anthropic({ unknown: text }),
  'a nested field': (text) => anthropic({ unknown: { [text]: [text] } }),
  'the prompt': (text) => anthropic({ messages: [{ role: 'user', content: text }] }),
  'the system prompt': (text) => anthropic({ system: text }),
  metadata: (text) => anthropic({ metadata: { user_id: text } }),
  'a header': (text) => anthropic({}, { headers: { 'anthropic-beta': ascii(text) } }),
  'the correlation id': (text) =>
    anthropic({}, { headers: { 'x-request-id': ascii(text).replaceAll(/[^\w.-]/g, '-') } }),
  'the query': (text) => anthropic({}, { path: `/v1/messages?x=${encodeURIComponent(text)}` }),
  'the model': (text) => anthropic({ model: `${CLAUDE}${text}` }),
  'a field name of a chat': (text) => chat({ [text]: 1 }),
  'the user of a chat': (text) => chat({ user: text }),
  'a field name of a chat stream': (text) => chat({ [text]: 1 }, true),
  'a Gemini field': (text) => ({
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], labels: { x: text } },
  }),
  'the prompt of a job': (text) => job({ prompt: text }),
  'the id of a job': (text) => job({ id: `${ascii(text)} ${crypto.randomUUID()}`, prompt: text }),
  'the metadata of a job': (text) => job({ prompt: text, metadata: { [text]: { [text]: text } } }),
  'the user and category of a job': (text) =>
    job({ prompt: text }, { 'x-user-id': ascii(text), 'x-category': ascii(text) }),
  'a field name in a job': (text) =>
    job({ prompt: undefined, request: { ...messageBody(), [text]: text } }),
  'a field value in a streamed job': (text) =>
    job({ prompt: undefined, request: { ...messageBody({ stream: true }), unknown: [text] } }),
  'a field name in a chat job': (text) =>
    job({
      model: GPT,
      prompt: undefined,
      request: { messages: [{ role: 'user', content: text }], [text]: 1 },
    }),
  'a call that becomes a job': (text) => ({
    ...anthropic({ [text]: text }, { headers: { prefer: 'respond-async' } }),
    isJob: true,
  }),
};

function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}

const STATUSES = [
  200, 400, 401, 402, 403, 404, 408, 409, 413, 422, 424, 429, 500, 502, 503, 504, 529,
];

const refusals = fc.record(
  {
    fault: fc.constantFrom(...STATED_FAULTS),
    echo: fc.constantFrom(...ECHOES),
    status: fc.constantFrom(...STATUSES),
    afterChunks: fc.constant(0),
    retryAfterMs: fc.constantFrom(1000, 30_000),
    // A reset within the second would end in one of the two runs and not in the other.
    resetInSeconds: fc.constant(3600),
  },
  { requiredKeys: ['fault', 'echo', 'resetInSeconds'] },
);
const texts = fc
  .array(fc.oneof(fc.constantFrom(...STATEMENTS), fc.string({ maxLength: 20 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(' '));

suite('the text of one organisation', () => {
  let gateway: TestGateway;
  let other: Caller;
  before(async () => {
    gateway = await startTestGateway(UNLIMITED, FILE);
    other = await newTenant(gateway, ROOMY);
  });
  after(() => gateway.close());

  /** The other organisation's answers after refused requests of a new one, whose own circuit has counted nothing yet. */
  async function answersAfter(
    scenario: object,
    attackOf: () => Attack,
  ): Promise<readonly string[]> {
    await forgetLearnt(gateway);
    const hostile = await newTenant(gateway, ROOMY);
    gateway.simulator.setScenario(scenario);
    for (let call = 0; call < 2; call += 1) await attack(hostile, attackOf());
    gateway.simulator.resetScenario();
    const answers = [];
    for (const each of [
      {},
      { model: 'claude-opus-4-1' },
      chatAsk(),
      POSITIONS['a Gemini field']?.('x'),
    ])
      answers.push(summary(await ask(other, each)));
    return answers;
  }

  async function attack(hostile: Caller, { isJob, ...asked }: Attack): Promise<void> {
    const answer = await ask(hostile, asked);
    if (isJob && answer.status === 202)
      await untilRun(hostile, answer.headers.get('location') ?? '');
  }

  /** Waits for the end of the first run; then the job is cancelled, so that it makes no call later. */
  async function untilRun({ apiKey }: Caller, job: string): Promise<void> {
    const headers = { 'x-api-key': apiKey };
    assert.notEqual(job, '');
    await until(async () => {
      const events = await fetch(`${gateway.url}${job}/events`, { headers });
      return /"type":"(?:delayed|failed|succeeded)"/.test(await events.text());
    });
    await fetch(gateway.url + job, { method: 'DELETE', headers });
  }

  test('makes no answer to another organisation worse, wherever it stands and however it is refused', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...Object.keys(POSITIONS)),
      texts,
      refusals,
      async (name, text, scenario) => {
        const position = POSITIONS[name];
        assert.ok(position);
        const expected = await answersAfter(scenario, () => position(HARMLESS));
        const actual = await answersAfter(scenario, () => position(text));
        // A quoted sentence may make the gateway learn less: then the others call the provider themselves.
        assert.deepEqual(
          actual,
          expected.map((answer, index) => (actual[index] === '200' ? '200' : answer)),
        );
      },
    );
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});

/** Status and code, and the wait to the minute: the two runs differ by milliseconds. */
function summary(answer: Awaited<ReturnType<typeof ask>>): string {
  if (answer.status === 200) return '200';
  const waitMs = Number(answer.headers.get('retry-after-ms') ?? 0);
  const code = answer.headers.get('x-spillway-code') ?? errorOf(answer).code;
  return `${answer.status} ${code} ${Math.round(waitMs / 60_000)} min`;
}
