// The contract of the job pipeline on any store and queue; job-recovery.ts has its behaviour after losses.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Verdict } from '../../../src/errors/codes.ts';
import type { RunOutcome } from '../../../src/jobs/ports/job-runner.ts';
import { jobRecoveryContract } from './job-recovery.ts';
import {
  createJobRig,
  DEAD,
  type JobRig,
  type JobServices,
  OUTAGE,
  PROVIDER_QUEUE,
  RAW,
  RESULTS,
  success,
  untilAborted,
} from './job-rig.ts';

const MISTAKE: Verdict = { code: 'INVALID_REQUEST', params: {}, retryable: false };
const LIMIT: Verdict = { code: 'AI_LIMIT_REACHED', params: {}, retryable: false };

export function jobPipelineContract(adapter: string, open: () => Promise<JobServices>): void {
  jobRecoveryContract(adapter, open);
  describe(`the job pipeline on ${adapter}`, () => {
    let rig: JobRig;
    beforeEach(async () => {
      rig = createJobRig(await open());
    });
    afterEach(() => rig.close());

    it('a submitted job ends with one result', async () => {
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

    it('a failing job is retried with doubling delays and then becomes a dead letter', async () => {
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
      const [letter] = (await rig.deadLetters.list({ limit: 10 })).letters;
      assert.equal(letter?.jobId, job.id);
      assert.equal(letter?.errorMessage, 'upstream said 500');
      const copy = await rig.take(DEAD);
      assert.equal(copy.body['prompt'], 'hello');
      assert.deepEqual(Object.keys(copy.body['error'] as object), [
        'code',
        'message',
        'timestamp',
        'attempts',
        'provider',
        'queue',
      ]);
    });

    it('a limit delays a job until its reset and costs no attempt', async () => {
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

    it('an error that the caller caused fails the job immediately, without a dead letter', async () => {
      rig.run(() => ({ kind: 'failed', verdict: MISTAKE }));
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'failed');
      assert.equal(rig.runs.length, 1);
      assert.equal(await rig.deadLetters.count(), 0);
    });

    it('a runner that throws makes the job a dead letter', async () => {
      rig.run(() => assert.fail('a fault'));
      const job = await rig.submit();
      rig.start();
      const failed = await rig.reach(job.id, 'failed');
      assert.equal(failed.error?.code, 'INTERNAL');
      assert.equal(await rig.deadLetters.count(), 1);
    });

    it("a routed job waits on the provider's queue until the dispatcher's due time", async () => {
      const runAt = rig.now() + 3000;
      const route = { kind: 'route', provider: 'openai', queue: PROVIDER_QUEUE } as const;
      rig.chooseBy(() => Promise.resolve({ ...route, runAt, waitCode: 'RATE_LIMITED' }));
      const job = await rig.submit();
      rig.start();
      await rig.reach(job.id, 'delayed');
      const done = await rig.reach(job.id, 'succeeded');
      assert.ok((done.startedAt ?? 0) >= runAt);
    });

    it('the dispatcher asks again while no provider can take a job, and fails it if none ever will', async () => {
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

    it('cancelling ends a waiting job, and aborts the call of a running one', async () => {
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

    it('a waiting or running job expires at its deadline', async () => {
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

    it("another system's message becomes a job, and its result is published", async () => {
      const body = { AnalysisId: 'A-1', organizationId: 'acme', prompt: 'x', metadata: { n: 1 } };
      await rig.queue.publish(RAW, { id: 'foreign', body: JSON.stringify(body) });
      rig.start();
      const result = await rig.take(RESULTS);
      assert.equal(result.body['id'], 'A-1');
      assert.equal(result.body['AnalysisId'], 'A-1');
      assert.equal(result.body['status'], 'succeeded');
      assert.equal(result.body['output'], 'done');
      assert.equal(result.body['costUsd'], 0.0025);
      assert.deepEqual(result.body['metadata'], { n: 1 });
      const job = await rig.store.find({ organizationId: 'acme', publicId: 'A-1' });
      assert.equal(job?.origin, 'queue');
    });

    it("copies of another system's message on any queue are one job", async () => {
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

    it('unreadable messages and unknown organisations become dead letters without blocking other messages', async () => {
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
      const { letters } = await rig.deadLetters.list({ limit: 99 });
      const codes = letters.map((letter) => letter.errorCode);
      assert.equal(codes.filter((code) => code === 'NOT_FOUND').length, 1);
      const copy = await rig.take(DEAD);
      assert.ok(copy.body['error']);
    });

    it('the output of a running job is stored as it grows', async () => {
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
