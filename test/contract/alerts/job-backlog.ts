// The contract of the port JobBacklog. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newJob } from '../../../src/jobs/intake/submit-job.ts';
import type { JobBacklog } from '../../../src/jobs/ports/job-backlog.ts';
import type { JobStore } from '../../../src/jobs/ports/job-store.ts';
import { newId } from '../../../src/kernel/ids.ts';

export type OpenedJobBacklog = {
  readonly backlog: JobBacklog;
  readonly jobs: Pick<JobStore, 'create'>;
  close(): Promise<void>;
};

export function jobBacklogContract(adapter: string, open: () => Promise<OpenedJobBacklog>): void {
  describe(`the backlog of jobs on ${adapter}`, () => {
    let opened: OpenedJobBacklog;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    async function add(id: string, change: object): Promise<void> {
      const message = { id, prompt: 'hi' };
      const submitter = { organizationId: 'acme' };
      const given = { message, submitter, origin: 'http', queue: 'raw' } as const;
      await opened.jobs.create({ ...newJob(given, newId, 5000), ...change }, message);
    }

    it('an empty store has no waiting job', async () => {
      assert.equal(await opened.backlog.oldestDueAt(), undefined);
      assert.deepEqual(await opened.backlog.overdueDelayed(9_999_999), []);
    });

    it('the oldest due time is of a waiting job that is not handed over', async () => {
      await add('queued', {});
      await add('delayed', { state: 'delayed', runAt: 3000, queue: 'openai' });
      await add('later', { state: 'delayed', runAt: 8000, queue: 'openai' });
      await add('handed', { state: 'delayed', runAt: 10, leaseOwner: 'foreign', leaseUntil: 20 });
      await add('ended', { state: 'succeeded', runAt: 20 });
      assert.equal(await opened.backlog.oldestDueAt(), 3000);
    });

    it('overdue delayed jobs are counted by queue', async () => {
      assert.deepEqual(await opened.backlog.overdueDelayed(3000), [{ queue: 'openai', count: 1 }]);
      assert.deepEqual(await opened.backlog.overdueDelayed(2999), []);
      assert.deepEqual(await opened.backlog.overdueDelayed(9000), [{ queue: 'openai', count: 2 }]);
    });
  });
}
