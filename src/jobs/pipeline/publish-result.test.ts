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
  const told: string[] = [];
  const kept: string[] = [];
  const noteIn = (list: string[], queue: string, { id, body }: QueueMessage) => {
    const { status, output } = JSON.parse(body);
    list.push(`${queue}: ${id} ${status} ${output}`);
  };
  const tell = createPublishResult({
    queues: { resultsQueue: 'results' },
    isUp: () => isUp,
    broker: {
      async publish(queue, message) {
        if (!takes) throw new Error('the queue is full');
        noteIn(told, queue, message);
      },
    },
    outbox: { publish: async (queue, message) => noteIn(kept, queue, message) },
  });
  return { tell, told, kept };
}

test('a result goes to its queue under the id that its sender gave, and nothing is written for it', async () => {
  const { tell, told, kept } = rig();
  await tell(ENDED, RESULT);
  assert.deepEqual([told, kept], [['results: analysis-7 succeeded done'], []]);
});

for (const broker of [{ isUp: false }, { takes: false }])
  test(`one that the broker does not take is in the outbox: ${JSON.stringify(broker)}`, async () => {
    const { tell, told, kept } = rig(broker);
    await tell(ENDED, RESULT);
    assert.deepEqual([told, kept], [[], [`results: job_1.${ENDED.fence} succeeded done`]]);
  });

const history = { result: async () => RESULT };

test('a message that comes again tells of a job that has ended, in the same words', async () => {
  const { tell, told } = rig();
  assert.equal(await republishResult(tell, { job: ENDED, history, now: 4000 }), 'ack');
  assert.deepEqual(told, ['results: analysis-7 succeeded done']);
});

test('while the job runs such a message is kept, and looked at after as long again', async () => {
  const { tell, told } = rig();
  const begunAt = RUNNING.updatedAt;
  for (const [ranMs, retryAfterMs] of [
    [0, 1000],
    [20_000, 20_000],
    [600_000, 60_000],
  ] as const) {
    const kept = await republishResult(tell, { job: RUNNING, history, now: begunAt + ranMs });
    assert.deepEqual(kept, { retryAfterMs, isUncounted: true });
  }
  assert.deepEqual(told, []);
});

test('of the jobs of callers nobody is told by a queue', async () => {
  const { tell, told } = rig();
  for (const job of [RUNNING, ENDED]) {
    const own: Job = { ...job, origin: 'http' };
    assert.equal(await republishResult(tell, { job: own, history, now: 4000 }), 'ack');
  }
  assert.deepEqual(told, []);
});

/** Ends a job on a store that answers so, in turn; who was told of it, and what was outbox with the move. */
async function endOn(answers: readonly (Job | undefined | Error)[], found: Job) {
  const clock = createTestClock();
  const moves: JobMove[] = [];
  const told: Job[] = [];
  const publishResult: PublishResult = async (job) => void told.push(job);
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
  );
  const ended: unknown[] = [];
  void ending.then((outcome) => ended.push(outcome));
  while (ended.length === 0) await clock.advance(1000);
  assert.deepEqual(ended, ['ack']);
  return { told, outbox: moves.flatMap(({ outbox = [] }) => outbox) };
}

test('a job is told of after its end is stored, and not by the store', async () => {
  assert.deepEqual(await endOn([ENDED], ENDED), { told: [ENDED], outbox: [] });
});

test('a job that had moved on is not told of', async () => {
  assert.deepEqual((await endOn([undefined], ENDED)).told, []);
});

test('an end that was stored by a store that never said so is told of', async () => {
  const away = new Error('connection lost');
  assert.deepEqual((await endOn([away, undefined], ENDED)).told, [ENDED]);
  const cancelled: Job = { ...ENDED, state: 'cancelled' };
  assert.deepEqual((await endOn([away, undefined], cancelled)).told, []);
});
