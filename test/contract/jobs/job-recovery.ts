// The contract of the job pipeline when messages, leases, workers or publications are lost: every job still ends once.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { PublishResult } from '../../../src/jobs/pipeline/publish-result.ts';
import { startWorker } from '../../../src/jobs/pipeline/work-job.ts';
import type { RunOutcome } from '../../../src/jobs/ports/job-runner.ts';
import {
  createJobRig,
  type JobRig,
  type JobServices,
  OUTAGE,
  PROVIDER_QUEUE,
  RAW,
  success,
  untilAborted,
} from './job-rig.ts';

export function jobRecoveryContract(adapter: string, open: () => Promise<JobServices>): void {
  describe(`the recovery of jobs on ${adapter}`, () => {
    let rig: JobRig;
    beforeEach(async () => {
      rig = createJobRig(await open());
    });
    afterEach(() => rig.close());

    it('a job runs once although its message is delivered many times', async () => {
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

    it('the sweeper publishes a lost message again', async () => {
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

    it("a job with an expired lease runs on another worker, and the first worker's result is refused", async () => {
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
      // The worker could not renew its lease.
      await rig.store.touch(job.id, running.fence, { leaseUntil: rig.now() - 1 });
      await rig.sweeper.sweep();
      const done = await rig.reach(job.id, 'succeeded');
      stale.resolve(success('first'));
      await rig.pass(1000);
      assert.equal((await rig.history.result(job.id))?.output, 'second');
      assert.equal(done.losses, 1);
      assert.equal(done.attempts, 1);
    });

    it('a job that has lost too many workers becomes a dead letter', async () => {
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

    it('a retried dead letter is a job with all its attempts, or the message as it was delivered', async () => {
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

    it('a closing worker finishes its jobs, or returns them to the queue if it has to hurry', async () => {
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

    it('a result is published until the broker accepts it, and its job runs once', async () => {
      const published: (string | undefined)[] = [];
      let refusals = 2;
      const publishResult: PublishResult = async ({ result }) => {
        refusals -= 1;
        if (refusals >= 0) throw new Error('the broker refuses it');
        published.push(result?.output);
      };
      const worker = startWorker(
        { ...rig.parts, publishResult },
        { queue: PROVIDER_QUEUE, concurrency: 1 },
      );
      const body = JSON.stringify({ AnalysisId: 'analysis-7', prompt: 'hello' });
      await rig.queue.publish(PROVIDER_QUEUE, { id: 'foreign', body });
      for (let passedMs = 0; published.length === 0 && passedMs < 60_000; passedMs += 500)
        await rig.pass(500);
      await worker.close();
      assert.deepEqual(published, ['done']);
      assert.equal(rig.runs.length, 1);
    });
  });
}
