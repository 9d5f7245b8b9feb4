// Jobs that request a stream: sent as one, readable as they grow, started over after a cut, and ended once.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import {
  type Ask,
  administer,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  GPT,
  messageBody,
  newTenant,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { openEventStream, type StreamEvent } from '../../support/gateway/event-stream.ts';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  TEST_ADMIN_KEY,
  TEST_API_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const GEMINI = '/v1beta/models/gemini-2.5-flash';
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const WORDS = 'one two three four five six seven eight nine ten eleven twelve';
const CUT = { preset: 'cut', text: WORDS, chunks: 12, afterChunks: 5 };
const GOOD = { text: WORDS, chunks: 12 };

/** The same request without and with a stream. */
const ENDPOINTS: readonly (readonly [whole: Ask, stream: Ask])[] = [
  [{ body: messageBody() }, { body: messageBody({ stream: true }) }],
  [chatAsk(), chatAsk({ stream: true })],
  [responsesAsk(false), responsesAsk(true)],
  [geminiAsk('generateContent'), geminiAsk('streamGenerateContent?alt=sse')],
  [geminiAsk('generateContent'), geminiAsk('streamGenerateContent')],
];

function responsesAsk(stream: boolean): Ask {
  return { path: '/v1/responses', body: { model: GPT, input: 'Hello', stream } };
}

function geminiAsk(action: string): Ask {
  return { path: `${GEMINI}:${action}`, body: { contents: CONTENTS } };
}

type Attempt = {
  readonly attempt: number;
  readonly outcome: string;
  readonly code?: string;
  readonly partialOutput?: string;
};

type JobView = {
  readonly status: string;
  readonly output?: string;
  readonly partialOutput?: string;
  readonly response?: unknown;
  readonly usage?: object;
  readonly attempts: number;
  readonly error?: { readonly code: string };
  readonly history: readonly Attempt[];
};

async function later(place: Caller, asked: Ask): Promise<string> {
  const answer = await ask(place, { ...asked, headers: { prefer: 'respond-async' } });
  assert.equal(answer.status, 202, answer.text);
  return (JSON.parse(answer.text) as { id: string }).id;
}

async function jobAt({ url, apiKey }: Caller, id: string): Promise<JobView> {
  const answer = await fetch(`${url}/v1/jobs/${id}`, { headers: { 'x-api-key': apiKey } });
  return (await answer.json()) as JobView;
}

async function finished(place: Caller, id: string): Promise<JobView> {
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    const job = await jobAt(place, id);
    if (!['queued', 'running', 'delayed'].includes(job.status)) return job;
    await sleep(systemClock, 20, deadline);
  }
}

/** The events up to the first that matches. */
async function followUntil(
  { url, apiKey }: Caller,
  path: string,
  isWanted: (event: StreamEvent) => boolean,
): Promise<StreamEvent> {
  const stream = await openEventStream(url + path, { 'x-api-key': apiKey });
  for (let event = await stream.next(); event; event = await stream.next()) {
    if (!isWanted(event)) continue;
    stream.leave();
    return event;
  }
  return assert.fail(`${path} ended without it`);
}

async function eventsOf({ url, apiKey }: Caller, id: string) {
  const answer = await fetch(`${url}/v1/jobs/${id}/events`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await answer.json()) as { data: { type: string; output?: string }[] };
  return data;
}

/** The output of each attempt, assembled from the events. */
function outputsOf(events: readonly { type: string; output?: string }[]): readonly string[] {
  const outputs: string[] = [];
  for (const { type, output = '' } of events) {
    if (type === 'running') outputs.push('');
    if (type === 'output') outputs.push(`${outputs.pop()}${output}`);
  }
  return outputs;
}

/** Without the fields that differ between two answers. */
function lasting(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, field: unknown) =>
    /^(id|created|created_at|completed_at|responseId)$/.test(name) ? undefined : field,
  );
}

suite('a job that asks for a stream', () => {
  let gateway: TestGateway;
  before(async () => {
    const file = () => `${SINGLE_ATTEMPTS}\ntimeouts: { idleMs: 6000 }\n`;
    gateway = await startTestGateway({ RETRY_DELAY_MS: '50' }, file);
  });
  afterEach(() => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
  });
  after(() => gateway.close());

  for (const [whole, stream] of ENDPOINTS) {
    test(`${stream.path ?? '/v1/messages'}: is sent as one, and its result is the whole answer with its exact usage`, async () => {
      gateway.simulator.setScenario(GOOD);
      const expected = await finished(gateway, await later(gateway, whole));
      const job = await finished(gateway, await later(gateway, stream));
      assert.deepEqual([job.status, job.output, job.attempts], ['succeeded', WORDS, 1]);
      assert.deepEqual(lasting(job.response), lasting(expected.response));
      assert.deepEqual(job.usage, expected.usage);
      assert.deepEqual(
        gateway.simulator.log().map((entry) => entry.stream),
        [false, true],
      );
    });

    test(`${stream.path ?? '/v1/messages'}: starts over after a cut, and both calls are charged`, async () => {
      gateway.simulator.setScenario({ sequence: [CUT, GOOD] });
      const tenant = await newTenant(gateway);
      const job = await finished(tenant, await later(tenant, stream));
      assert.deepEqual([job.status, job.output, job.attempts], ['succeeded', WORDS, 2]);
      const [cut, good] = job.history;
      assert.deepEqual([cut?.outcome, cut?.code], ['failed', 'NETWORK_TIMEOUT']);
      const partial = cut?.partialOutput ?? '';
      assert.ok(partial !== '' && partial !== WORDS && WORDS.startsWith(partial), partial);
      assert.deepEqual([good?.outcome, good?.partialOutput], ['succeeded', undefined]);
      const used = await usageOf(tenant, 2);
      assert.deepEqual([used.attempts, used.failures], [2, 1]);
      const [first, second] = gateway.simulator.log();
      assert.ok(
        used.outputTokens > (second?.outputTokens ?? 0),
        'the usage of the cut call is charged',
      );
      assert.deepEqual([first?.outcome, second?.outcome], ['cut', 'ok']);
    });
  }

  test("is requested by a job's own message, in any format", async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const [model, request] of [
      [CLAUDE, { max_tokens: 100, messages }],
      [GPT, { messages }],
      ['gemini-2.5-flash', { contents: CONTENTS }],
    ] as const) {
      const body = { model, request: { ...request, stream: true } };
      const answer = await ask(gateway, { path: '/v1/jobs', body });
      const { id } = JSON.parse(answer.text) as { id: string };
      assert.equal((await finished(gateway, id)).status, 'succeeded');
      assert.equal(gateway.simulator.log().at(-1)?.stream, true, model);
    }
  });

  test('is readable while it runs, by polling and live, and stays with its attempt', async () => {
    const stalled = { fault: 'stall', text: WORDS, chunks: 12, afterChunks: 5 };
    gateway.simulator.setScenario({ sequence: [stalled, GOOD] });
    const id = await later(gateway, { stream: true });
    const [event, buildEvent] = await Promise.all([
      followUntil(gateway, `/v1/jobs/${id}/events`, ({ data }) => data['type'] === 'output'),
      followUntil(gateway, `/v1/builds/${id}/events`, ({ data }) => data['type'] === 'job.output'),
    ]);
    const output = String(event.data['output']);
    assert.ok(output !== '' && WORDS.startsWith(output), output);
    assert.deepEqual(buildEvent.data['data'], { output });
    const running = await jobAt(gateway, id);
    assert.equal(running.status, 'running');
    assert.ok(running.partialOutput?.startsWith(output));
    assert.equal(running.history[0]?.partialOutput, running.partialOutput);

    const job = await finished(gateway, id);
    assert.deepEqual([job.status, job.output, job.attempts], ['succeeded', WORDS, 2]);
    const partial = job.history[0]?.partialOutput;
    assert.ok(partial?.startsWith(output));
    assert.deepEqual(outputsOf(await eventsOf(gateway, id)), [partial, WORDS]);
  });

  test('keeps its partial output after an error of the provider in the stream', async () => {
    const broken = { preset: 'overloaded-mid-stream', text: WORDS, chunks: 12, chunkDelayMs: 20 };
    gateway.simulator.setScenario({ sequence: [broken, GOOD] });
    const job = await finished(gateway, await later(gateway, { stream: true }));
    assert.deepEqual([job.status, job.attempts], ['succeeded', 2]);
    assert.ok(WORDS.startsWith(job.history[0]?.partialOutput ?? '-'));
  });

  test('becomes a dead letter with its last output after repeated cuts', async () => {
    gateway.simulator.setScenario(CUT);
    const job = await finished(gateway, await later(gateway, { stream: true }));
    assert.deepEqual([job.status, job.attempts], ['failed', 4]);
    assert.equal(job.error?.code, 'NETWORK_TIMEOUT');
    assert.equal(job.history.length, 4);
    assert.ok(job.history.every(({ partialOutput = '-' }) => WORDS.startsWith(partialOutput)));
    assert.equal(job.partialOutput, job.history.at(-1)?.partialOutput);
  });
});

test('with jobs.midStream error a cut after content fails the job, with its partial output', async (context) => {
  const gateway = await startTestGateway({ RETRY_DELAY_MS: '50' }, () => {
    return `${SINGLE_ATTEMPTS}\njobs: { midStream: error }\n`;
  });
  context.after(() => gateway.close());
  gateway.simulator.setScenario(CUT);
  const job = await finished(gateway, await later(gateway, { stream: true }));
  assert.deepEqual([job.status, job.attempts, job.error?.code], ['failed', 1, 'NETWORK_TIMEOUT']);
  assert.ok(job.partialOutput && WORDS.startsWith(job.partialOutput));
  assert.equal(job.history[0]?.partialOutput, job.partialOutput);
  assert.equal(gateway.simulator.log().length, 1);
  const { data } = await administer(gateway, 'GET', '/admin/dlq');
  assert.equal(Array.isArray(data) && data.length, 1, 'an operator can have it done again');

  // Before content a cut is an ordinary failure, which the job's retry handles.
  gateway.simulator.setScenario({ sequence: [{ preset: 'cut-before-content' }, GOOD] });
  const again = await finished(gateway, await later(gateway, { stream: true }));
  assert.deepEqual([again.status, again.attempts], ['succeeded', 2]);
});

test('a job starts over and ends once after its process was killed during the stream', async (context) => {
  const simulator = await startSimulator({ clock: systemClock });
  context.after(() => simulator.close());
  const env = {
    SPILLWAY_DATA_DIR: tempFolder(context),
    SPILLWAY_API_KEY: TEST_API_KEY,
    SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: simulator.url,
  };
  simulator.setScenario({
    sequence: [{ fault: 'stall', text: WORDS, chunks: 12, afterChunks: 5 }, GOOD],
  });
  const first = runSpillway(['serve'], env);
  context.after(() => first.kill('SIGKILL'));
  const place = { url: await first.ready(), apiKey: TEST_API_KEY };
  const id = await later(place, { stream: true });
  await followUntil(place, `/v1/jobs/${id}/events`, ({ data }) => data['type'] === 'output');
  first.kill('SIGKILL');
  await first.ended();

  const second = runSpillway(['serve'], env);
  context.after(() => second.kill('SIGKILL'));
  const job = await finished({ url: await second.ready(), apiKey: TEST_API_KEY }, id);
  assert.deepEqual([job.status, job.output], ['succeeded', WORDS]);
  assert.deepEqual(
    job.history.map(({ outcome }) => outcome),
    ['lost', 'succeeded'],
  );
  assert.ok(WORDS.startsWith(job.history[0]?.partialOutput ?? '-'));
  assert.equal(simulator.log().length, 2);
  const events = await eventsOf({ url: await second.ready(), apiKey: TEST_API_KEY }, id);
  assert.equal(events.filter(({ type }) => type === 'succeeded').length, 1);
  second.kill('SIGTERM');
  assert.equal((await second.ended()).code, 0);
});
