import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { newJob } from '../intake/submit-job.ts';
import type { Job, JobResult } from '../model/job.ts';
import { parseJobMessage } from '../model/job-message.ts';
import { started, succeeded } from '../model/job-moves.ts';
import { RETRY_DEFAULTS } from '../model/job-policy.ts';
import type { QueueMessage } from '../ports/job-queue.ts';
import type { JobMove } from '../ports/job-store.ts';
import { finish } from './finish-run.ts';
import { createPublishResult, type PublishResult, republishResult } from './publish-result.ts';

const RESULT: JobResult = {
  provider: 'openai',
  model: 'gpt-5',
  output: 'done',
  response: { said: 'done' },
  usage: NO_USAGE,
  costNanos: 5,
};
const RUNNING = started(foreignJob(), { workerId: 'worker-1', leaseMs: 1000 }, 2000).moved;
const ENDED = succeeded(RUNNING, RESULT, 3000).moved;

function foreignJob(): Job {
  const message = parseJobMessage({ AnalysisId: 'analysis-7', prompt: 'Hello' });
  const given = { message, submitter: { organizationId: 'acme' }, origin: 'queue', queue: 'q' };
  return newJob({ ...given, origin: 'queue' }, () => 'job_1', 1000);
}

function rig({ isUp = true, takes = true } = {}) {
  const published: string[] = [];
  const stored: string[] = [];
  const noteIn = (list: string[], queue: string, { id, body }: QueueMessage) => {
    const { status, output } = JSON.parse(body);
    list.push(`${queue}: ${id} ${status} ${output}`);
  };
  const publishResult = createPublishResult({
    queues: { resultsQueue: 'results' },
    isUp: () => isUp,
    broker: {
      async publish(queue, message) {
        if (!takes) throw new Error('the queue is full');
        noteIn(published, queue, message);
      },
    },
    outbox: { publish: async (queue, message) => noteIn(stored, queue, message) },
  });
  return { publishResult, published, stored };
}

test("a result is published under the job's public id, without an outbox message", async () => {
  const { publishResult, published, stored } = rig();
  await publishResult({ job: ENDED, result: RESULT, message: undefined });
  assert.deepEqual([published, stored], [['results: analysis-7 succeeded done'], []]);
});

for (const broker of [{ isUp: false }, { takes: false }])
  test(`a result that the broker does not accept goes to the outbox: ${JSON.stringify(broker)}`, async () => {
    const { publishResult, published, stored } = rig(broker);
    await publishResult({ job: ENDED, result: RESULT, message: undefined });
    assert.deepEqual([published, stored], [[], [`results: job_1.${ENDED.fence} succeeded done`]]);
  });

const REDELIVERY = { message: undefined, history: { result: async () => RESULT }, now: 4000 };

test('a redelivered message of an ended job publishes the same result again', async () => {
  const { publishResult, published } = rig();
  assert.equal(await republishResult(publishResult, { ...REDELIVERY, job: ENDED }), 'ack');
  assert.deepEqual(published, ['results: analysis-7 succeeded done']);
});

test('a redelivered message of a running job is delivered again after as long as the job has run', async () => {
  const { publishResult, published } = rig();
  const begunAt = RUNNING.updatedAt;
  for (const [ranMs, retryAfterMs] of [
    [0, 1000],
    [20_000, 20_000],
    [600_000, 60_000],
  ] as const) {
    const stored = await republishResult(publishResult, {
      ...REDELIVERY,
      job: RUNNING,
      now: begunAt + ranMs,
    });
    assert.deepEqual(stored, { retryAfterMs, isUncounted: true });
  }
  assert.deepEqual(published, []);
});

test("a caller's job publishes no result", async () => {
  const { publishResult, published } = rig();
  for (const job of [RUNNING, ENDED]) {
    const own: Job = { ...job, origin: 'http' };
    assert.equal(await republishResult(publishResult, { ...REDELIVERY, job: own }), 'ack');
  }
  assert.deepEqual(published, []);
});

/** Finishes a job on a store that gives these answers in turn; returns the published results and the outbox. */
async function endOn(answers: readonly (Job | undefined | Error)[], found: Job) {
  const clock = createTestClock();
  const moves: JobMove[] = [];
  const published: Job[] = [];
  const publishResult: PublishResult = async ({ job }) => void published.push(job);
  const ending = finish(
    {
      store: {
        find: async () => found,
        async move(move) {
          const answer = answers[moves.length];
          moves.push(move);
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      queue: { publish: async () => assert.fail('it does not go on') },
      policy: RETRY_DEFAULTS,
      queues: { resultsQueue: 'results' },
      publishResult,
      clock,
    },
    succeeded(RUNNING, RESULT, 3000),
    undefined,
  );
  const ended: unknown[] = [];
  void ending.then((outcome) => ended.push(outcome));
  while (ended.length === 0) await clock.advance(1000);
  assert.deepEqual(ended, ['ack']);
  return { published, outbox: moves.flatMap(({ outbox = [] }) => outbox) };
}

test("a result is published after the job's last move, and not by the outbox", async () => {
  assert.deepEqual(await endOn([ENDED], ENDED), { published: [ENDED], outbox: [] });
});

test('a job with a changed fence publishes no result', async () => {
  assert.deepEqual((await endOn([undefined], ENDED)).published, []);
});

test('a last move that was committed without an answer publishes its result', async () => {
  const lost = new Error('connection lost');
  assert.deepEqual((await endOn([lost, undefined], ENDED)).published, [ENDED]);
  const cancelled: Job = { ...ENDED, state: 'cancelled' };
  assert.deepEqual((await endOn([lost, undefined], cancelled)).published, []);
});
