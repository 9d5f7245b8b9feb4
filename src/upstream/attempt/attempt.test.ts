import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import { createWatch, type Watch } from '../../kernel/watch.ts';
import type { Upstream, UpstreamListener, UpstreamRequest } from '../upstream.ts';
import { createAnswerBytes } from './answer-bytes.ts';
import { Attempt } from './attempt.ts';
import type { AttemptCall, AttemptListener, AttemptParts } from './attempt-call.ts';

const MIB = 2 ** 20;

const TIMEOUTS = {
  firstContentMs: 10_000,
  reasoningFirstContentMs: 40_000,
  idleMs: 5000,
  reasoningIdleMs: 30_000,
  totalMs: 100_000,
  unaryMs: 60_000,
  streamLeaseMs: 300_000,
  holdStatusMs: 3000,
  usageMs: 4000,
};

const ANSWER =
  '{"id":"m","type":"message","content":[{"type":"text","text":"Hi"}],"usage":{"input_tokens":3,"output_tokens":2}}';
const START = event('message_start', { message: { usage: { input_tokens: 3, output_tokens: 1 } } });
const DELTA = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const PING = event('ping', {});
const STOP =
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
  event('message_stop', {});
const ERROR = event('error', { error: { type: 'overloaded_error', message: 'canary-secret' } });
const JSON_HEAD = { 'content-type': 'application/json' };
const SSE_HEAD = { 'content-type': 'text/event-stream' };

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

type Rig = {
  readonly attempt: Attempt;
  /** The provider's side of the call. */
  readonly provider: UpstreamListener;
  readonly said: string[];
  readonly errors: SpillwayError[];
  readonly asked: string[];
  readonly clock: TestClock;
  readonly watch: Watch;
  readonly requests: UpstreamRequest[];
};

function rig(
  given: Partial<AttemptCall> = {},
  takesMore = true,
  parts: Pick<AttemptParts, 'answerBytes' | 'onHealthy'> = {},
): Rig {
  const clock = createTestClock();
  const watch = createWatch(clock);
  const said: string[] = [];
  const errors: SpillwayError[] = [];
  const asked: string[] = [];
  const requests: UpstreamRequest[] = [];
  const listener: AttemptListener = {
    onAnswer: (body, type, usage) =>
      void said.push(`answer ${type} ${body.length} ${usage?.outputTokens}`),
    onEvents: (bytes) => {
      said.push(`events ${bytes.toString()}`);
      return takesMore;
    },
    onComplete: (bytes) => void said.push(`complete ${bytes.toString()}`),
    onFailed: (error) => {
      errors.push(error);
      said.push(`failed ${error.code}${phaseOf(error)}`);
    },
  };
  const upstream: Upstream = {
    send: (request) => {
      requests.push(request);
      return {
        abort: () => void asked.push('abort'),
        pause: () => void asked.push('pause'),
        resume: () => void asked.push('resume'),
      };
    },
    close: async () => {},
  };
  const attempt = new Attempt(
    {
      upstream,
      clock,
      watch,
      timeouts: TIMEOUTS,
      maxAnswerBytes: parts.answerBytes ? 8 * MIB : 500,
      maxHeldBytes: 4096,
      ...parts,
    },
    {
      target: {
        provider: 'anthropic',
        account: 'default',
        region: 'us-east',
        model: 'm',
        format: 'anthropic',
        origin: 'http://p',
      },
      isStream: false,
      isReasoning: false,
      isCountedApart: false,
      path: '/v1/messages',
      headers: ['x-api-key', 'k'],
      body: Buffer.from('{}'),
      ...given,
    },
    listener,
  );
  attempt.start();
  return { attempt, provider: attempt, said, errors, asked, clock, watch, requests };
}

function phaseOf({ params }: SpillwayError): string {
  return params.phase === undefined ? '' : ` ${params.phase}`;
}

test('headers of calls that are counted apart, and of long contexts, report no headroom', () => {
  const long = {
    headers: ['anthropic-beta', 'context-1m-2025-08-07'],
    body: Buffer.alloc(200_001),
  };
  const calls: readonly (readonly [Partial<AttemptCall>, number])[] = [
    [{}, 1],
    [{ isCountedApart: true }, 0],
    [long, 0],
    [{ ...long, headers: [] }, 1],
  ];
  for (const [given, reports] of calls) {
    let reported = 0;
    const { provider } = rig(given, true, { onHealthy: () => void (reported += 1) });
    provider.onHead(200, JSON_HEAD);
    assert.equal(reported, reports);
  }
});

test('the upstream request has the path, headers and body of the call', () => {
  const { requests } = rig();
  assert.deepEqual(requests, [
    {
      origin: 'http://p',
      path: '/v1/messages',
      method: 'POST',
      headers: ['x-api-key', 'k'],
      body: Buffer.from('{}'),
    },
  ]);
});

test('a unary response is delivered whole, with its usage', () => {
  const { provider, said, watch } = rig();
  provider.onHead(200, JSON_HEAD);
  provider.onData(Buffer.from(ANSWER.slice(0, 20)));
  provider.onData(Buffer.from(ANSWER.slice(20)));
  assert.deepEqual(said, []);
  provider.onEnd();
  assert.deepEqual(said, [`answer application/json ${ANSWER.length} 2`]);
  assert.equal(watch.size, 0);
});

test('status 200 with a page, a cut response or an empty body is a failure', () => {
  for (const body of ['<html><body>Bad gateway</body></html>', ANSWER.slice(0, 40), '', 'null']) {
    const { provider, said } = rig();
    provider.onHead(200, JSON_HEAD);
    if (body !== '') provider.onData(Buffer.from(body));
    provider.onEnd();
    assert.equal(said.length, 1, body);
    assert.match(said[0] ?? '', /^failed /, body);
  }
});

test('a response beyond maxAnswerBytes is aborted', () => {
  const { provider, said, asked } = rig();
  provider.onHead(200, JSON_HEAD);
  provider.onData(Buffer.alloc(400, 'x'));
  provider.onData(Buffer.alloc(400, 'x'));
  provider.onEnd();
  assert.deepEqual(said, ['failed NETWORK_TIMEOUT lost']);
  assert.deepEqual(asked, ['abort']);
});

test('large responses that arrive at once share a bound, and an ended one leaves its share', () => {
  const answerBytes = createAnswerBytes(3 * MIB);
  const [one, other] = [rig({}, true, { answerBytes }), rig({}, true, { answerBytes })];
  for (const { provider } of [one, other]) provider.onHead(200, JSON_HEAD);
  for (let count = 0; count < 3; count += 1) one.provider.onData(Buffer.alloc(MIB, ' '));
  for (let count = 0; count < 3; count += 1) other.provider.onData(Buffer.alloc(MIB, ' '));
  assert.deepEqual(other.said, ['failed CAPACITY_EXHAUSTED']);
  one.provider.onData(Buffer.from(ANSWER));
  one.provider.onEnd();
  assert.deepEqual(one.said, [`answer application/json ${3 * MIB + ANSWER.length} 2`]);
  assert.equal(answerBytes.take(3 * MIB), true);
});

test('an error status is mapped by its body and headers, of which a bounded part is kept', () => {
  const { provider, said, errors } = rig();
  provider.onHead(429, { ...JSON_HEAD, 'retry-after': '7' });
  provider.onData(Buffer.from('{"type":"error","error":{"type":"rate_limit_error",'));
  provider.onData(Buffer.from('"message":"slow down"}}'));
  for (let index = 0; index < 100; index += 1) provider.onData(Buffer.alloc(10_000, ' '));
  provider.onEnd();
  assert.deepEqual(said, ['failed RATE_LIMITED']);
  assert.equal(errors[0]?.retryAfterMs, 7000);
});

test('a redirect is a failure and is not followed', () => {
  const { provider, said } = rig();
  provider.onHead(302, { location: 'http://elsewhere' });
  provider.onEnd();
  assert.match(said.join(), /^failed /);
});

test('a stream is withheld until content, then relayed, and completes with its last events', () => {
  const { provider, said, attempt } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(START));
  assert.deepEqual(said, []);
  provider.onData(Buffer.from(DELTA));
  provider.onData(Buffer.from(STOP));
  provider.onEnd();
  assert.deepEqual(said, [`events ${START}${DELTA}`, `complete ${STOP}`]);
  assert.equal(attempt.reportedUsage()?.outputTokens, 2);
  assert.ok(attempt.streamedBytes() > 0);
});

test("a provider's error event becomes a failure and none of its text is relayed", () => {
  for (const before of ['', START, START + DELTA]) {
    const { provider, said, asked } = rig({ isStream: true });
    provider.onHead(200, SSE_HEAD);
    if (before !== '') provider.onData(Buffer.from(before));
    provider.onData(Buffer.from(ERROR.slice(0, 30)));
    provider.onData(Buffer.from(ERROR.slice(30)));
    assert.match(said.at(-1) ?? '', /^failed /);
    assert.ok(!said.join().includes('canary-secret'));
    assert.deepEqual(asked, ['abort']);
  }
});

test('a stream that ends without an end marker fails as lost', () => {
  const { provider, said } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(START + DELTA));
  provider.onEnd();
  assert.equal(said.at(-1), 'failed NETWORK_TIMEOUT lost');
});

test('back-pressure of the caller pauses the provider, and resume continues it', () => {
  const { provider, attempt, asked } = rig({ isStream: true }, false);
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(DELTA));
  assert.deepEqual(asked, ['pause']);
  attempt.resume();
  assert.deepEqual(asked, ['pause', 'resume']);
});

test('the idle clock does not run during back-pressure and starts at resume', async () => {
  const { provider, attempt, said, clock } = rig({ isStream: true }, false);
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(DELTA));
  await clock.advance(TIMEOUTS.idleMs * 3);
  assert.deepEqual(endings(said), []);
  attempt.resume();
  await clock.advance(TIMEOUTS.idleMs - 500);
  assert.deepEqual(endings(said), []);
  await clock.advance(1000);
  assert.deepEqual(endings(said), ['failed NETWORK_TIMEOUT idle']);
});

for (const [how, play] of [
  ['is cut', ({ provider }) => provider.onFailure(new Error('reset'))],
  ['never comes', ({ clock }) => clock.advance(4000)],
  ['never ends', ({ provider }) => provider.onData(Buffer.alloc(10_000, ' '))],
] as const satisfies readonly (readonly [string, (rig: Rig) => unknown])[]) {
  test(`a refusal is mapped by its status when its body ${how}`, async () => {
    for (const isStream of [false, true]) {
      const played = rig({ isStream });
      played.provider.onHead(429, { ...JSON_HEAD, 'retry-after': '7' });
      played.provider.onData(Buffer.from('{"type":"error",'));
      await play(played);
      assert.deepEqual(played.said, ['failed RATE_LIMITED']);
      assert.equal(played.errors[0]?.retryAfterMs, 7000);
      assert.equal(played.watch.size, 0);
    }
  });
}

test('a plain JSON error to a streaming request is mapped as an error', () => {
  const { provider, said } = rig({ isStream: true });
  provider.onHead(200, JSON_HEAD);
  provider.onData(Buffer.from('{"type":"error","error":{"type":"overloaded_error",'));
  provider.onData(Buffer.from('"message":"canary-secret"}}'));
  provider.onEnd();
  assert.deepEqual(said, ['failed PROVIDER_UNAVAILABLE']);
});

test('JSON to a streaming request is never relayed, also where it comes late, and its usage is kept', async () => {
  const { provider, attempt, said, errors, clock } = rig({ isStream: true });
  provider.onHead(200, JSON_HEAD);
  provider.onData(Buffer.from('\n'));
  await clock.advance(TIMEOUTS.holdStatusMs + 2000);
  for (let at = 0; at < ANSWER.length; at += 20)
    provider.onData(Buffer.from(ANSWER.slice(at, at + 20)));
  provider.onEnd();
  assert.deepEqual(said, ['events \n', 'failed PROVIDER_UNAVAILABLE']);
  assert.equal(errors[0]?.retryable, false);
  assert.equal(attempt.unusableAnswer()?.usage?.outputTokens, 2);
});

test('JSON beyond maxAnswerBytes to a streaming request is aborted', () => {
  const { provider, said, asked } = rig({ isStream: true });
  provider.onHead(200, JSON_HEAD);
  provider.onData(Buffer.from(ANSWER.slice(0, 20)));
  provider.onData(Buffer.alloc(600, 'x'));
  assert.deepEqual(said, ['failed NETWORK_TIMEOUT lost']);
  assert.deepEqual(asked, ['abort']);
});

test('a connection failure is a failure in every state', () => {
  for (const play of [() => {}, (provider: UpstreamListener) => provider.onHead(200, SSE_HEAD)]) {
    for (const isStream of [false, true]) {
      const { provider, said, watch } = rig({ isStream });
      play(provider);
      provider.onFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      assert.equal(said.length, 1);
      assert.match(said[0] ?? '', /^failed NETWORK_TIMEOUT/);
      assert.equal(watch.size, 0);
    }
  }
});

test('an answer is broken off if its connection fails after the head, and not if it fails before the head', () => {
  for (const isStream of [false, true]) {
    const begun = rig({ isStream });
    begun.provider.onHead(200, isStream ? SSE_HEAD : JSON_HEAD);
    begun.provider.onFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.equal(begun.errors[0]?.isBrokenOff, true);
    const refused = rig({ isStream });
    refused.provider.onFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.equal(refused.errors[0]?.isBrokenOff, false);
  }
});

test('an aborted attempt calls no listener method', () => {
  const { provider, attempt, said, asked, watch } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  attempt.abort(new Error('the caller left'));
  attempt.abort(new Error('again'));
  provider.onData(Buffer.from(DELTA));
  provider.onFailure(new Error('aborted'));
  assert.deepEqual(said, []);
  assert.deepEqual(asked, ['abort']);
  assert.equal(watch.size, 0);
});

test('a stream that its caller left is read for its usage, and relays nothing', () => {
  const { provider, attempt, said, asked, watch } = rig({ isStream: true });
  const outcomes: unknown[] = [];
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(START + DELTA));
  const relayed = said.length;
  attempt.leave(new Error('the caller left'), (outcome) => outcomes.push(outcome));
  provider.onData(Buffer.from(DELTA));
  assert.deepEqual([outcomes, asked], [[], []]);
  provider.onData(Buffer.from(STOP));
  assert.equal(said.length, relayed);
  assert.equal(outcomes.length, 1);
  assert.equal(Reflect.get(Object(outcomes[0]), 'kind'), 'reported');
  assert.equal(watch.size, 0);
});

test('a stream that its caller left is aborted when its usage does not come in time', async () => {
  const { provider, attempt, asked, clock } = rig({ isStream: true });
  const outcomes: unknown[] = [];
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(START + DELTA));
  attempt.leave(new Error('the caller left'), (outcome) => outcomes.push(outcome));
  await clock.advance(TIMEOUTS.usageMs - 1);
  assert.deepEqual(outcomes, []);
  await clock.advance(2000);
  assert.deepEqual(outcomes, [{ kind: 'unknown' }]);
  assert.deepEqual(asked, ['abort']);
});

test('a unary call that its caller left is aborted at once', () => {
  const { attempt, asked } = rig();
  const outcomes: unknown[] = [];
  attempt.leave(new Error('the caller left'), (outcome) => outcomes.push(outcome));
  assert.deepEqual([outcomes, asked], [[{ kind: 'unknown' }], ['abort']]);
});

const CLOCKS = [
  { name: 'unary', call: {}, head: false, lastsMs: TIMEOUTS.unaryMs, phase: 'total' },
  { name: 'unary that has begun', call: {}, head: true, lastsMs: TIMEOUTS.unaryMs, phase: 'total' },
  {
    name: 'unary with a deadline',
    call: { deadlineAtMs: createTestClock().monotonic() + 1000 },
    head: false,
    lastsMs: 1000,
    phase: 'total',
  },
  {
    name: 'stream',
    call: { isStream: true },
    head: true,
    lastsMs: TIMEOUTS.firstContentMs,
    phase: 'first_content',
  },
  {
    name: 'stream of a reasoning model',
    call: { isStream: true, isReasoning: true },
    head: true,
    lastsMs: TIMEOUTS.reasoningFirstContentMs,
    phase: 'first_content',
  },
] as const;

for (const { name, call, head, lastsMs, phase } of CLOCKS) {
  test(`the ${phase} clock of an attempt: ${name}`, async () => {
    const { provider, said, asked, clock, watch } = rig(call);
    if (head) provider.onHead(200, JSON_HEAD);
    await clock.advance(lastsMs);
    assert.deepEqual(endings(said), []);
    await clock.advance(500);
    assert.deepEqual(endings(said), [`failed NETWORK_TIMEOUT ${phase}`]);
    assert.deepEqual(asked, ['abort']);
    assert.equal(watch.size, 0);
  });
}

test('content restarts the idle clock, keep-alives do not', async () => {
  const { provider, said, clock } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  for (let index = 0; index < 4; index += 1) {
    provider.onData(Buffer.from(DELTA));
    await clock.advance(TIMEOUTS.idleMs - 500);
  }
  assert.deepEqual(endings(said), []);
  provider.onData(Buffer.from(PING));
  await clock.advance(1000);
  assert.deepEqual(endings(said), ['failed NETWORK_TIMEOUT idle']);
});

test('a stream of a reasoning model may be silent for longer between contents', async () => {
  const { provider, said, clock } = rig({ isStream: true, isReasoning: true });
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(DELTA));
  await clock.advance(TIMEOUTS.reasoningIdleMs);
  assert.deepEqual(endings(said), []);
  await clock.advance(500);
  assert.deepEqual(endings(said), ['failed NETWORK_TIMEOUT idle']);
});

test('a stream that flows for longer than the total clock ends by itself', async () => {
  const { provider, said, clock } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  for (let passedMs = 0; passedMs < 3 * TIMEOUTS.totalMs; passedMs += 4000) {
    provider.onData(Buffer.from(DELTA));
    await clock.advance(4000);
  }
  assert.deepEqual(endings(said), []);
  provider.onData(Buffer.from(STOP));
  assert.match(endings(said).join(), /^complete/);
});

test("the caller's deadline ends a stream that flows", async () => {
  const deadlineAtMs = createTestClock().monotonic() + 20_000;
  const { provider, said, clock } = rig({ isStream: true, deadlineAtMs });
  provider.onHead(200, SSE_HEAD);
  for (let passedMs = 0; passedMs <= 20_000; passedMs += 4000) {
    provider.onData(Buffer.from(DELTA));
    await clock.advance(4000);
  }
  assert.deepEqual(endings(said), ['failed NETWORK_TIMEOUT total']);
});

test('a stream whose caller stops reading ends after the total time', async () => {
  const { provider, said, clock } = rig({ isStream: true }, false);
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(DELTA));
  await clock.advance(TIMEOUTS.totalMs);
  assert.deepEqual(endings(said), []);
  await clock.advance(500);
  assert.deepEqual(endings(said), ['failed NETWORK_TIMEOUT total']);
});

test('a chat stream that ends with a refusal and sends nothing more fails as refused after seconds', async () => {
  const chat = { provider: 'openai', account: 'default', region: 'us-east', model: 'm' };
  const target = { ...chat, format: 'openai', origin: 'http://p' } as const;
  const { provider, said, clock } = rig({ isStream: true, target });
  provider.onHead(200, SSE_HEAD);
  const refusal = { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] };
  provider.onData(Buffer.from(`data: ${JSON.stringify(refusal)}\n\n`));
  assert.deepEqual(said, []);
  await clock.advance(4000);
  assert.deepEqual(said, ['failed CONTENT_POLICY']);
});

test('a refusal after streamed thinking is not relayed, and fails the call when its usage has arrived', async () => {
  const chat = { provider: 'openai', account: 'default', region: 'us-east', model: 'm' };
  const target = { ...chat, format: 'openai', origin: 'http://p' } as const;
  const { attempt, provider, said, clock } = rig({ isStream: true, target });
  const chunk = (rest: object) => Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
  provider.onHead(200, SSE_HEAD);
  provider.onData(chunk({ choices: [{ index: 0, delta: { reasoning_content: 'Should I?' } }] }));
  const relayed = said.length;
  provider.onData(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }));
  await clock.advance(1000);
  assert.equal(said.length, relayed);
  provider.onData(chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } }));
  assert.deepEqual(said.slice(relayed), ['failed CONTENT_POLICY']);
  assert.equal(attempt.reportedUsage()?.outputTokens, 5);
});

test('withheld events are released once after holdStatusMs', async () => {
  const { provider, said, clock } = rig({ isStream: true });
  provider.onHead(200, SSE_HEAD);
  provider.onData(Buffer.from(START + PING.slice(0, 10)));
  await clock.advance(TIMEOUTS.holdStatusMs);
  assert.deepEqual(said, []);
  await clock.advance(2000);
  assert.deepEqual(said, [`events ${START}`]);
  provider.onData(Buffer.from(PING.slice(10)));
  assert.equal(said.at(-1), `events ${PING}`);
});

type Happening = (rig: Rig) => void | Promise<void>;

const HAPPENINGS: Record<string, Happening> = {
  head: ({ provider }) => provider.onHead(200, SSE_HEAD),
  refusal: ({ provider }) => provider.onHead(503, JSON_HEAD),
  start: ({ provider }) => provider.onData(Buffer.from(START)),
  delta: ({ provider }) => provider.onData(Buffer.from(DELTA)),
  half: ({ provider }) => provider.onData(Buffer.from(DELTA.slice(0, 25))),
  stop: ({ provider }) => provider.onData(Buffer.from(STOP)),
  error: ({ provider }) => provider.onData(Buffer.from(ERROR)),
  end: ({ provider }) => provider.onEnd(),
  failure: ({ provider }) => provider.onFailure(new Error('reset')),
  resume: ({ attempt }) => attempt.resume(),
  abort: ({ attempt }) => attempt.abort(new Error('left')),
  moment: ({ clock }) => clock.advance(1000),
  age: ({ clock }) => clock.advance(11_000),
};

test('any sequence of events gives one outcome and no call after it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.constantFrom(...Object.keys(HAPPENINGS)), { maxLength: 14 }),
      async (isStream, takesMore, names) => {
        const all = rig({ isStream }, takesMore);
        let isAborted = false;
        for (const name of names) {
          isAborted ||= name === 'abort' && endings(all.said).length === 0;
          await HAPPENINGS[name]?.(all);
        }
        // A caller that stops reading is bounded from its pause on.
        await all.clock.advance(2 * TIMEOUTS.totalMs);
        assert.equal(endings(all.said).length, isAborted ? 0 : 1, all.said.join('|'));
        if (!isAborted) assert.equal(all.said.at(-1), endings(all.said)[0]);
        assert.ok(!all.said.join().includes('canary-secret'));
        assert.equal(all.watch.size, 0);
        assert.ok(all.asked.filter((each) => each === 'abort').length <= 1);
        all.watch.close();
        assert.equal(all.clock.pendingTimers(), 0);
      },
    ),
    { numRuns: 150 },
  );
});

function endings(said: readonly string[]): string[] {
  return said.filter((each) => !each.startsWith('events '));
}
