import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, JobOrigin } from '../model/job.ts';
import type { JobStore } from '../ports/job-store.ts';
import { createRecentJobs, type RecentJobs } from './recent-jobs.ts';
import { newJob } from './submit-job.ts';

const MESSAGE = { id: 'a-1', prompt: 'hello' };

function jobOf(id: string, origin: JobOrigin = 'queue'): Job {
  const submitter = { organizationId: 'default' };
  const given = { message: MESSAGE, submitter, origin, queue: 'anthropic' } as const;
  return newJob(given, () => id, 1000);
}

async function store(recent: RecentJobs, job: Job, isNew = true, prompt = 'hello'): Promise<void> {
  const created: Pick<JobStore, 'create'> = { create: async () => ({ job, isNew }) };
  const jobs = recent.remembering(created);
  await jobs.create(job, { ...MESSAGE, prompt });
}

test('what was just stored is given to the first who asks for it, and to no other', async () => {
  const recent = createRecentJobs();
  const job = jobOf('job_1');
  await store(recent, job);
  assert.deepEqual(recent.take({ jobId: 'job_1', fence: 1 }), { job, message: MESSAGE });
  assert.equal(recent.take({ jobId: 'job_1', fence: 1 }), undefined);
});

test('a pointer of another fence is answered by the store alone', async () => {
  const recent = createRecentJobs();
  await store(recent, jobOf('job_1'));
  assert.equal(recent.take({ jobId: 'job_1', fence: 2 }), undefined);
});

test('a job that was known before, one of a caller and a large one are not remembered', async () => {
  const recent = createRecentJobs();
  await store(recent, jobOf('job_1'), false);
  await store(recent, jobOf('job_2', 'http'));
  await store(recent, jobOf('job_3'), true, 'x'.repeat(20_000));
  for (const jobId of ['job_1', 'job_2', 'job_3'])
    assert.equal(recent.take({ jobId, fence: 1 }), undefined);
});

test('when there are too many those who come are not remembered, until the oldest seem to be left over', async () => {
  const recent = createRecentJobs(2);
  for (const id of ['job_1', 'job_2', 'job_3']) await store(recent, jobOf(id));
  assert.equal(recent.take({ jobId: 'job_3', fence: 1 }), undefined);
  await store(recent, { ...jobOf('job_4'), publishedAt: 60_000 });
  assert.equal(recent.take({ jobId: 'job_4', fence: 1 })?.job.id, 'job_4');
  assert.equal(recent.take({ jobId: 'job_1', fence: 1 }), undefined);
  assert.equal(recent.take({ jobId: 'job_2', fence: 1 })?.job.id, 'job_2');
});

test('many large ones are kept only as far as there is room for them', async () => {
  const recent = createRecentJobs();
  const prompt = 'x'.repeat(16_000);
  for (let nth = 0; nth < 1000; nth += 1) await store(recent, jobOf(`job_${nth}`), true, prompt);
  assert.ok(recent.take({ jobId: 'job_0', fence: 1 }));
  assert.equal(recent.take({ jobId: 'job_999', fence: 1 }), undefined);
  // One was taken, so that there is room for one.
  await store(recent, jobOf('job_1000'), true, prompt);
  assert.ok(recent.take({ jobId: 'job_1000', fence: 1 }));
});
