// The contract of JobRetention. The test of each adapter calls it.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { newJob } from '../../../src/jobs/intake/submit-job.ts';
import { deadLetterOf } from '../../../src/jobs/model/final-messages.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import { failed, routed, started, succeeded } from '../../../src/jobs/model/job-moves.ts';
import type { DeadLetterStore } from '../../../src/jobs/ports/dead-letter-store.ts';
import type { JobHistory } from '../../../src/jobs/ports/job-history.ts';
import type { JobRetention } from '../../../src/jobs/ports/job-retention.ts';
import type { JobStore } from '../../../src/jobs/ports/job-store.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { success } from './job-rig.ts';

export type OpenedRetention = {
  readonly jobs: JobStore;
  readonly history: JobHistory;
  readonly deadLetters: DeadLetterStore;
  readonly retention: JobRetention;
  close(): Promise<void>;
};

const VERDICT = { code: 'INTERNAL', params: {}, retryable: false } as const;

export function jobRetentionContract(adapter: string, open: () => Promise<OpenedRetention>): void {
  describe(`the retention of jobs on ${adapter}`, () => {
    let opened: OpenedRetention;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function running(): Promise<Job> {
      const submitter = { organizationId: 'acme' };
      const given = { message: {}, submitter, origin: 'http', queue: 'raw' } as const;
      const { job } = await opened.jobs.create(newJob(given, newId, 1), { prompt: 'hello' });
      const moved = await opened.jobs.move(started(job, { workerId: 'w', leaseMs: 1000 }, 1));
      return moved ?? assert.fail('it could not be started');
    }

    async function finished(at: number): Promise<Job> {
      const job = await running();
      const outcome = success('done');
      assert.ok(outcome.kind === 'succeeded');
      await opened.jobs.move(succeeded(job, outcome.result, at));
      return job;
    }

    it('finished jobs are deleted with all their rows, the oldest first, up to the limit', async () => {
      const [oldest, older, young] = [await finished(10), await finished(20), await finished(99)];
      const unfinished = await running();
      assert.equal(await opened.retention.pruneJobs(50, 1), 1);
      assert.equal(await opened.jobs.find({ id: oldest.id }), undefined);
      assert.ok(await opened.jobs.find({ id: older.id }));
      assert.equal(await opened.retention.pruneJobs(50, 10), 1);
      assert.equal(await opened.retention.pruneJobs(50, 10), 0);
      assert.equal(await opened.history.result(older.id), undefined);
      assert.deepEqual(await opened.history.attempts(older.id), []);
      assert.deepEqual(await opened.history.events(older.id, { limit: 9 }), []);
      assert.ok(await opened.jobs.find({ id: young.id }));
      assert.ok(await opened.jobs.find({ id: unfinished.id }));
    });

    it('a job that is a dead letter is kept until an operator has decided on it', async () => {
      const job = await running();
      const letter = deadLetterOf(job, {}, { verdict: VERDICT }, 10);
      await opened.jobs.move(failed(job, { verdict: VERDICT, deadLetter: letter }, 10));
      assert.equal(await opened.retention.pruneJobs(50, 10), 0);
      await opened.deadLetters.remove(letter.id);
      assert.equal(await opened.retention.pruneJobs(50, 10), 1);
    });

    it('a job that was handed over is deleted after the retention time, and other waiting jobs are not', async () => {
      const given = { message: {}, submitter: { organizationId: 'acme' }, queue: 'raw' };
      const [old, young, waiting] = [10, 99, 10].map((at) =>
        newJob({ ...given, origin: 'queue' }, newId, at),
      );
      assert.ok(old && young && waiting);
      for (const job of [old, young, waiting]) await opened.jobs.create(job, { prompt: 'hello' });
      const route = { queue: 'q', provider: 'p', isHandedOver: true };
      for (const job of [old, young]) await opened.jobs.move(routed(job, route, job.createdAt));
      assert.equal(await opened.retention.pruneJobs(50, 10), 1);
      assert.equal(await opened.jobs.find({ id: old.id }), undefined);
      assert.ok(await opened.jobs.find({ id: young.id }));
      assert.ok(await opened.jobs.find({ id: waiting.id }));
    });

    it('results can be deleted without their jobs', async () => {
      const [old, young] = [await finished(10), await finished(99)];
      assert.equal(await opened.retention.pruneResults(50, 10), 1);
      assert.equal(await opened.retention.pruneResults(50, 10), 0);
      assert.equal(await opened.history.result(old.id), undefined);
      assert.ok(await opened.jobs.find({ id: old.id }));
      assert.ok(await opened.history.result(young.id));
    });
  });
}
