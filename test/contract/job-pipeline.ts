// What the pipeline of jobs promises, on whatever store and queue it stands.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Verdict } from '../../src/errors/codes.ts';
import type { PublishResult } from '../../src/jobs/pipeline/publish-result.ts';
import { startWorker } from '../../src/jobs/pipeline/work-job.ts';
import type { RunOutcome } from '../../src/jobs/ports/job-runner.ts';
import {
  createJobRig,
  DEAD,
  type JobRig,
  type JobServices,
  PROVIDER_QUEUE,
  RAW,
  RESULTS,
  type Runner,
  success,
} from './job-rig.ts';

const MISTAKE: Verdict = { code: 'INVALID_REQUEST', params: {}, retryable: false };
const OUTAGE: Verdict = {
  code: 'PROVIDER_UNAVAILABLE',
  params: { reason: 'error' },
  retryable: true,
};
const LIMIT: Verdict = { code: 'AI_LIMIT_REACHED', params: {}, retryable: false };

export function jobPipelineContract(adapter: string, open: () => Promise<JobServices>): void {
  describe(`the pipeline of jobs on ${adapter}`, () => {
    let rig: JobRig;
    beforeEach(async () => {
      rig = createJobRig(await open());
    });
    afterEach(() => rig.close());

    it('brings a job from handing in to its one result', async () => {
      const job = await rig.submit({ id: 'mine', metadata: { a: 1 } });
      assert.equal(job.state, 'queued');
      rig.start();
      const done = await rig.reach(job.id, 'succeeded');
      assert.equal((await rig.history.result(job.id))?.output, 'done');
      assert.equal(done.attempts, 1);
      assert.equal(done.provider, 'openai');
      assert.deepEqual(rig.runs[0]?.message, { id: 'mine', prompt: 'hello', metadata: { a: 1 } });
      const events = await rig.history.events(job.id, { limit: 10 });
      assert.deepEqual(
        events.map((event) => event.type),
        ['submitted', 'routed', 'running', 'succeeded'],
      );
    });

    it('tries a failed call again, each wait twice the one before, and then it is a dead letter', async () => {
      const startedAt: number[] = [];
      rig.run(() => {
        startedAt.push(rig.now());
        return { kind: 'failed', verdict: OUTAGE, internalMessage: 'upstream said 500' };
      });
      const job = await rig.submit();
      rig.start();
      const done = await rig.reach(job.id, 'failed');
      assert.equal(done.attempts, 4);
      assert.equal(done.error?.code, 'PROVIDER_UNAVAILABLE');
      const waits = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
      for (const [index, leastMs] of [1000, 2000, 4000].entries())
        assert.ok((waits[index] ?? 0) >= leastMs, `waits were ${waits.join()}`);
      const [letter] = await rig.deadLetters.list({ limit: 10 });
      assert.equal(letter?.jobId, job.id);
      assert.equal(letter?.errorMessage, 'upstream said 500');
      const copy = await rig.take(DEAD);
      assert.equal(copy.body['prompt'], 'hello');
      assert.deepEqual(Object.keys(copy.body['error'] as object), [
        'code',
        'message',
        'timestamp',
        'attempts',
        'queue',
      ]);
    });

    it('only waits at a limit: no attempt is used, and it goes on when the limit ends', async () => {
      const until = rig.now() + 5000;
      const outcomes: RunOutcome[] = [
        { kind: 'failed', verdict: LIMIT, delayUntil: until },
        success('after the limit'),
      ];
      rig.run(() => outcomes.shift() ?? assert.fail('ran too often'));
      const job = await rig.submit();
      rig.start();
      const waiting = await rig.reach(job.id, 'delayed');
      assert.equal(waiting.waitCode, 'AI_LIMIT_REACHED');
      assert.equal(waiting.attempts, 0);
      assert.equal(waiting.runAt, until);
      const done = await rig.reach(job.id, 'succeeded');
      assert.ok((done.finishedAt ?? 0) >= until, 'it went on too early');
      assert.equal(done.attempts, 1);
      assert.equal(done.waitCode, undefined);
      const attempts = await rig.history.attempts(job.id);
      assert.deepEqual(
        attempts.map(({ run, attempt, outcome }) => [run, attempt, outcome]),
        [
          [1, 1, 'delayed'],
          [2, 1, 'succeeded'],
        ],
      );
    });

    it("ends with the caller's own mistake at once, without a dead letter", async () => {
      rig.run(() => ({ kind: 'failed', verdict: MISTAKE }));
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'failed');
      assert.equal(rig.runs.length, 1);
      assert.equal(await rig.deadLetters.count(), 0);
    });

    it('makes a dead letter of a job whose runner has a fault of ours', async () => {
      rig.run(() => assert.fail('a fault'));
      const job = await rig.submit();
      rig.start();
      const failed = await rig.reach(job.id, 'failed');
      assert.equal(failed.error?.code, 'INTERNAL');
      assert.equal(await rig.deadLetters.count(), 1);
    });

    it('waits at the provider that the dispatcher chose for as long as it said', async () => {
      const runAt = rig.now() + 3000;
      const route = { kind: 'route', provider: 'openai', queue: PROVIDER_QUEUE } as const;
      rig.chooseBy(() => Promise.resolve({ ...route, runAt, waitCode: 'RATE_LIMITED' }));
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'delayed');
      const done = await rig.reach(job.id, 'succeeded');
      assert.ok((done.startedAt ?? 0) >= runAt);
    });

    it('asks again when nobody can take a job, and fails it when nobody ever will', async () => {
      const until = rig.now() + 2000;
      let asked = 0;
      rig.chooseBy(() => {
        asked += 1;
        return Promise.resolve(
          asked === 1
            ? { kind: 'wait', until, code: 'PROVIDER_UNAVAILABLE' }
            : { kind: 'refuse', verdict: MISTAKE },
        );
      });
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'delayed');
      const failed = await rig.reach(job.id, 'failed');
      assert.ok(failed.updatedAt >= until);
      assert.equal(asked, 2);
      assert.equal(rig.runs.length, 0);
    });

    it('cancels a job that waits, and one that runs, whose call is aborted', async () => {
      const begun = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<unknown>();
      rig.run(async (_run, signal) => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason));
        begun.resolve();
        await aborted.promise;
        return { kind: 'failed', verdict: OUTAGE };
      });
      const first = await rig.submit();
      const second = await rig.submit();
      rig.start();
      await begun.promise;
      const [running, waiting] =
        (await rig.find(first.id)).state === 'running' ? [first, second] : [second, first];
      assert.equal((await rig.cancel('acme', waiting.publicId))?.state, 'cancelled');
      assert.equal(await rig.cancel('other', running.publicId), undefined);
      assert.equal((await rig.cancel('acme', running.publicId))?.state, 'cancelled');
      assert.equal(await aborted.promise, 'cancelled');
      assert.equal((await rig.cancel('acme', running.publicId))?.state, 'cancelled');
      await rig.pass(2000);
      assert.equal(rig.runs.length, 1);
      assert.equal((await rig.find(running.id)).state, 'cancelled');
    });

    it('lets a job expire at its deadline, waiting or running', async () => {
      rig.run(untilAborted);
      const running = await rig.submit({ deadline: rig.now() + 3000 });
      rig.start();
      await rig.reach(running.id, 'running');
      const waiting = await rig.submit({ deadline: rig.now() + 1 });
      await rig.pass(10);
      await rig.sweeper.sweep();
      assert.equal((await rig.find(waiting.id)).state, 'expired');
      const expired = await rig.reach(running.id, 'expired');
      assert.ok((expired.finishedAt ?? 0) >= (running.deadlineAt ?? 0));
    });

    it('makes jobs of the messages of other systems and publishes their results', async () => {
      const body = { AnalysisId: 'A-1', organizationId: 'acme', prompt: 'x', metadata: { n: 1 } };
      await rig.queue.publish(RAW, { id: 'foreign', body: JSON.stringify(body) });
      rig.start();
      const told = await rig.take(RESULTS);
      assert.equal(told.body['id'], 'A-1');
      assert.equal(told.body['AnalysisId'], 'A-1');
      assert.equal(told.body['status'], 'succeeded');
      assert.equal(told.body['output'], 'done');
      assert.equal(told.body['costUsd'], 0.0025);
      assert.deepEqual(told.body['metadata'], { n: 1 });
      const job = await rig.store.find({ organizationId: 'acme', publicId: 'A-1' });
      assert.equal(job?.origin, 'queue');
    });

    it('is one job however often a foreign message comes, and by whatever way', async () => {
      const body = JSON.stringify({ id: 7, prompt: 'x' });
      await rig.queue.publish(RAW, { id: 'one', body });
      await rig.queue.publish(RAW, { id: 'two', body });
      await rig.queue.publish(PROVIDER_QUEUE, { id: 'bypass', body });
      rig.start();
      await rig.take(RESULTS);
      await rig.queue.publish(RAW, { id: 'three', body });
      await rig.pass(2000);
      assert.equal(rig.runs.length, 1);
      assert.equal((await rig.queue.depth(RESULTS)).ready, 0);
      assert.equal((await rig.queue.depth(RAW)).ready, 0);
      assert.ok(await rig.store.find({ organizationId: 'default', publicId: '7' }));
    });

    it('puts aside what cannot be read, and what names nobody, without blocking others', async () => {
      const bad = [
        'not json',
        '[]',
        'null',
        '{"id":"x"}',
        '{"prompt":"no id"}',
        JSON.stringify({ id: 'x', prompt: 'y', organizationId: 'nobody' }),
        JSON.stringify({ spillwayJob: 5, fence: 'x' }),
      ];
      for (const [index, body] of bad.entries())
        await rig.queue.publish(RAW, { id: `bad${index}`, body });
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'succeeded');
      assert.equal(await rig.deadLetters.count(), bad.length);
      const codes = (await rig.deadLetters.list({ limit: 99 })).map((letter) => letter.errorCode);
      assert.equal(codes.filter((code) => code === 'NOT_FOUND').length, 1);
      const copy = await rig.take(DEAD);
      assert.ok(copy.body['error']);
    });

    it('runs a job once although its message comes many times', async () => {
      const job = await rig.submit();
      rig.startDispatcher();
      await rig.pass(1000);
      const current = await rig.find(job.id);
      const body = JSON.stringify({ spillwayJob: job.id, fence: current.fence });
      for (let copy = 0; copy < 5; copy += 1)
        await rig.queue.publish(PROVIDER_QUEUE, { id: `copy${copy}`, body });
      rig.startWorker(4);
      await rig.reach(job.id, 'succeeded');
      await rig.pass(2000);
      assert.equal(rig.runs.length, 1);
    });

    it('publishes again what was lost between a move and its message', async () => {
      const job = await rig.submit();
      rig.startDispatcher();
      await rig.pass(1000);
      await rig.take(PROVIDER_QUEUE);
      rig.startWorker();
      await rig.pass(1000);
      assert.equal((await rig.find(job.id)).state, 'queued');
      await rig.pass(31_000);
      await rig.sweeper.sweep();
      await rig.reach(job.id, 'succeeded');
      assert.equal(rig.runs.length, 1);
    });

    it('gives a job to somebody else when its worker fell silent, whose result is then refused', async () => {
      const begun = Promise.withResolvers<void>();
      const stale = Promise.withResolvers<RunOutcome>();
      rig.run(() => {
        begun.resolve();
        return rig.runs.length === 1 ? stale.promise : success('second');
      });
      const job = await rig.submit();
      rig.startDispatcher();
      rig.startWorker(2);
      await begun.promise;
      const running = await rig.find(job.id);
      // As if the worker had not been able to renew its lease.
      await rig.store.touch(job.id, running.fence, { leaseUntil: rig.now() - 1 });
      await rig.sweeper.sweep();
      const done = await rig.reach(job.id, 'succeeded');
      stale.resolve(success('first'));
      await rig.pass(1000);
      assert.equal((await rig.history.result(job.id))?.output, 'second');
      assert.equal(done.losses, 1);
      assert.equal(done.attempts, 1);
    });

    it('suspects a job that has lost too many workers', async () => {
      const job = await rig.submit();
      rig.startDispatcher();
      rig.run(untilAborted);
      rig.startWorker(20);
      for (let loss = 0; loss <= rig.parts.policy.maxLosses; loss += 1) {
        const { fence } = await rig.reach(job.id, 'running');
        await rig.store.touch(job.id, fence, { leaseUntil: rig.now() - 1 });
        await rig.sweeper.sweep();
      }
      const failed = await rig.reach(job.id, 'failed');
      assert.deepEqual(failed.error?.params, { phase: 'lost' });
      assert.equal(await rig.deadLetters.count(), 1);
    });

    it('tries dead letters again, jobs with all their attempts, and messages as they came', async () => {
      rig.run(() => ({ kind: 'failed', verdict: { ...OUTAGE, retryable: false } }));
      await rig.queue.publish(RAW, { id: 'bad', body: '{}' });
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'failed');
      assert.equal(await rig.deadLetters.count(), 2);
      rig.run(() => success('this time'));
      assert.equal(await rig.deadLetterDesk.retryAll(), 2);
      const done = await rig.reach(job.id, 'succeeded');
      assert.equal(done.error, undefined);
      assert.equal(done.attempts, 1);
      await rig.pass(1000);
      assert.equal(await rig.deadLetters.count(), 1, 'the unreadable one is a dead letter again');
      assert.equal(await rig.deadLetterDesk.retry('nothing'), false);
    });

    it('finishes what it started when it is closed, or gives it back when it must hurry', async () => {
      const begun = Promise.withResolvers<void>();
      rig.run((run, signal) => {
        begun.resolve();
        return untilAborted(run, signal);
      });
      const job = await rig.submit();
      rig.startDispatcher();
      const worker = rig.startWorker();
      await begun.promise;
      const hurry = new AbortController();
      const closing = worker.close(hurry.signal);
      await rig.pass(1000);
      assert.equal((await rig.find(job.id)).state, 'running');
      hurry.abort();
      await closing;
      const back = await rig.find(job.id);
      assert.deepEqual([back.state, back.attempts, back.losses], ['queued', 0, 0]);
      rig.run(() => success('by the next one'));
      rig.startWorker();
      await rig.reach(job.id, 'succeeded');
    });

    it('tells of a job that has ended until it is told of, and runs it once', async () => {
      const told: (string | undefined)[] = [];
      let refusals = 2;
      const publishResult: PublishResult = async (_job, result) => {
        refusals -= 1;
        if (refusals >= 0) throw new Error('nobody takes it');
        told.push(result?.output);
      };
      const worker = startWorker(
        { ...rig.parts, publishResult },
        { queue: PROVIDER_QUEUE, concurrency: 1 },
      );
      const body = JSON.stringify({ AnalysisId: 'analysis-7', prompt: 'hello' });
      await rig.queue.publish(PROVIDER_QUEUE, { id: 'foreign', body });
      for (let passedMs = 0; told.length === 0 && passedMs < 60_000; passedMs += 500)
        await rig.pass(500);
      await worker.close();
      assert.deepEqual(told, ['done']);
      assert.equal(rig.runs.length, 1);
    });

    it('keeps what a running job has put out so far', async () => {
      const mayEnd = Promise.withResolvers<void>();
      rig.run(async (run) => {
        run.reportPartial('so');
        run.reportPartial('so far');
        await mayEnd.promise;
        return success('so far so good');
      });
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'running');
      await rig.pass(1500);
      assert.equal((await rig.history.attempts(job.id))[0]?.partialOutput, 'so far');
      mayEnd.resolve();
      await rig.reach(job.id, 'succeeded');
    });
  });
}

/** A call that takes for ever, unless it is stopped. */
const untilAborted: Runner = (_run, signal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'failed', verdict: OUTAGE }));
  });
