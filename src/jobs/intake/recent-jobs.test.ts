import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HANDED_OVER, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobStore } from '../ports/job-store.ts';
import { createRecentJobs, type RecentJobs } from './recent-jobs.ts';
import { newJob } from './submit-job.ts';

function messageOf(length = 20): JobMessage {
  return { id: 'a-1', prompt: 'hello', source: { body: 'x'.repeat(length) } };
}

function jobOf(id: string, change: Partial<Job> = {}): Job {
  const submitter = { organizationId: 'default' };
  const given = { message: messageOf(), submitter, origin: 'queue', queue: 'anthropic' } as const;
  return { ...newJob(given, () => id, 1000), ...change };
}

async function store(
  recent: RecentJobs,
  job: Job,
  { isNew = true, message = messageOf() } = {},
): Promise<void> {
  const created: Pick<JobStore, 'create'> = { create: async () => ({ job, isNew }) };
  await recent.remembering(created as JobStore).create(job, message);
}

const take = (recent: RecentJobs, jobId: string) => recent.take({ jobId, fence: 1 });

suite('recently stored jobs', () => {
  test('a new job is given with its message to the first pointer, and to no other', async () => {
    const recent = createRecentJobs();
    const job = jobOf('job_1');
    await store(recent, job);
    assert.deepEqual(take(recent, 'job_1'), { job, message: messageOf() });
    assert.equal(take(recent, 'job_1'), undefined);
  });

  test('a pointer of another fence gets nothing', async () => {
    const recent = createRecentJobs();
    await store(recent, jobOf('job_1'));
    assert.equal(recent.take({ jobId: 'job_1', fence: 2 }), undefined);
  });

  test('known, delayed and handed-over jobs, jobs of callers and large ones are not remembered', async () => {
    const recent = createRecentJobs();
    await store(recent, jobOf('job_1'), { isNew: false });
    await store(recent, jobOf('job_2', { state: 'delayed' }));
    await store(recent, jobOf('job_3', { leaseOwner: HANDED_OVER }));
    await store(recent, jobOf('job_4'), { message: { id: 'a-1', prompt: 'hello' } });
    await store(recent, jobOf('job_5'), { message: messageOf(20_000) });
    for (const id of ['job_1', 'job_2', 'job_3', 'job_4', 'job_5'])
      assert.equal(take(recent, id), undefined, id);
  });

  test('at the maximum a new job is not remembered until the oldest is 10 s old', async () => {
    const recent = createRecentJobs(2);
    for (const id of ['job_1', 'job_2', 'job_3']) await store(recent, jobOf(id));
    assert.equal(take(recent, 'job_3'), undefined);
    await store(recent, jobOf('job_4', { publishedAt: 60_000 }));
    assert.equal(take(recent, 'job_4')?.job.id, 'job_4');
    assert.equal(take(recent, 'job_1'), undefined);
    assert.equal(take(recent, 'job_2')?.job.id, 'job_2');
  });

  test('the bodies of all remembered jobs have a bound, and a taken job makes room', async () => {
    const recent = createRecentJobs();
    const message = messageOf(16_000);
    for (let nth = 0; nth < 1000; nth += 1) await store(recent, jobOf(`job_${nth}`), { message });
    assert.ok(take(recent, 'job_0'));
    assert.equal(take(recent, 'job_999'), undefined);
    await store(recent, jobOf('job_1000'), { message });
    assert.ok(take(recent, 'job_1000'));
  });
});
