// The contract of a JobStore with its history and dead letters. The test of each adapter calls it.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isHandedOver, type Job } from '../../../src/jobs/model/job.ts';
import { delayed, failed, routed, started, succeeded } from '../../../src/jobs/model/job-moves.ts';
import { messageFor } from '../../../src/jobs/model/job-pointer.ts';
import { isWrittenJson, writeWithResponse } from '../../../src/jobs/model/written-json.ts';
import type { DeadLetterStore } from '../../../src/jobs/ports/dead-letter-store.ts';
import type { JobEvent, JobHistory } from '../../../src/jobs/ports/job-history.ts';
import type { JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import type { JobPage, JobStore } from '../../../src/jobs/ports/job-store.ts';
import { plainJob, plainResult } from './job-samples.ts';

export type OpenedJobStore = {
  readonly jobs: JobStore;
  readonly history: JobHistory;
  readonly deadLetters: DeadLetterStore;
  /** A queue on the same store. */
  readonly queue: Pick<JobQueue, 'depth'>;
  close(): Promise<void>;
};

const WORKER = { workerId: 'worker-1', leaseMs: 1000 };
const VERDICT = { code: 'INTERNAL', params: {}, retryable: false } as const;

export function jobStoreContract(adapter: string, open: () => Promise<OpenedJobStore>): void {
  describe(`jobs on ${adapter}`, () => {
    let opened: OpenedJobStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function create(given: Partial<Job> = {}): Promise<Job> {
      const { job } = await opened.jobs.create(plainJob(given), { prompt: 'hello' });
      return job;
    }

    async function move(...[made]: Parameters<JobStore['move']>): Promise<Job> {
      const moved = await opened.jobs.move(made);
      assert.ok(moved);
      return moved;
    }

    it('every field of a job and its message is read back', async () => {
      const job = plainJob({
        provider: 'openai',
        model: 'gpt-5',
        keyId: 'key_1',
        userId: 'u ☂',
        requestId: 'req_1',
        locale: 'tr',
        timeZone: 'Europe/Istanbul',
        traceParent: '00-1-2-01',
        callbackUrl: 'https://example.com/hook',
        metadata: { nested: { list: [1, 'two', null] } },
        waitCode: 'RATE_LIMITED',
        error: { code: 'RATE_LIMITED', params: { retryAfterMs: 5 }, retryable: true },
        deadlineAt: 1_900_000_000_000,
        leaseOwner: 'x',
        leaseUntil: 5,
        startedAt: 6,
        finishedAt: 7,
      });
      const message = { prompt: 'a\u0000b "quoted" ☂', images: ['https://example.com/i.png'] };
      const created = await opened.jobs.create(job, message);
      assert.equal(created.isNew, true);
      const { organizationId, publicId } = job;
      assert.deepEqual(await opened.jobs.find({ id: job.id }), job);
      assert.deepEqual(await opened.jobs.find({ organizationId, publicId }), job);
      assert.deepEqual(await opened.jobs.message(job.id), message);
      assert.deepEqual(await opened.jobs.findWithMessage(job.id), { job, message });
      assert.equal(await opened.jobs.findWithMessage('job_other'), undefined);
      assert.equal(await opened.jobs.find({ organizationId: 'other', publicId }), undefined);
    });

    it('a large message is read back, and other work runs between the steps of storing it', async () => {
      const message = { prompt: 'long "text" ☂ '.repeat(200_000) };
      const job = plainJob();
      let wasServed = false;
      setImmediate(() => {
        wasServed = true;
      });
      await Promise.all([
        opened.jobs.create(job, message),
        create({ publicId: 'small' }),
        opened.jobs.create(plainJob(), message),
      ]);
      assert.ok(wasServed);
      assert.deepEqual(await opened.jobs.message(job.id), message);
    });

    it('an id is one job per organisation, however often it is submitted', async () => {
      const first = await create({ publicId: 'same' });
      const again = plainJob({ publicId: 'same' });
      const outbox = [{ queue: 'raw', message: messageFor(again) }];
      const second = await opened.jobs.create(again, { prompt: 'other' }, outbox);
      assert.equal(second.isNew, false);
      assert.equal(second.job.id, first.id);
      assert.equal((await opened.queue.depth('raw')).ready, 0);
      const elsewhere = await create({ publicId: 'same', organizationId: 'other' });
      assert.notEqual(elsewhere.id, first.id);
    });

    it('a job and its message commit together', async () => {
      const job = plainJob();
      const outbox = [
        { queue: 'raw', message: messageFor(job) },
        { queue: 'raw', message: { id: 'later', body: '' }, delayMs: 60_000 },
      ];
      await opened.jobs.create(job, { prompt: 'x' }, outbox);
      const { ready, delayed } = await opened.queue.depth('raw');
      assert.deepEqual([ready, delayed], [1, 1]);
    });

    it('a fence admits one move', async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      assert.equal(running.state, 'running');
      assert.equal(running.fence, job.fence + 1);
      assert.equal(running.leaseUntil, 3000);
      assert.equal(await opened.jobs.move(started(job, WORKER, 2001)), undefined);
      assert.equal((await opened.history.attempts(job.id)).length, 1);
    });

    it('of many concurrent moves one succeeds', async () => {
      const job = await create();
      const tries = Array.from({ length: 20 }, (_, index) =>
        opened.jobs.move(started(job, WORKER, 2000 + index)),
      );
      const moved = (await Promise.all(tries)).filter((result) => result !== undefined);
      assert.equal(moved.length, 1);
      assert.equal((await opened.history.events(job.id, { limit: 10 })).length, 2);
    });

    it('a move is written completely or not at all', async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      const broken = {
        ...succeeded(running, plainResult(), 3000),
        outbox: [{ queue: 'raw', message: { id: null as unknown as string, body: '' } }],
      };
      await assert.rejects(opened.jobs.move(broken));
      assert.deepEqual(await opened.jobs.find({ id: job.id }), running);
      assert.equal(await opened.history.result(job.id), undefined);
      assert.equal((await opened.history.events(job.id, { limit: 10 })).length, 2);
    });

    it('events are read in order, after a given one', async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      const wait = { until: 9000, code: 'RATE_LIMITED', costsAttempt: false } as const;
      const waiting = await move(delayed(running, wait, 3000));
      await move(started(waiting, WORKER, 9000));
      const events = await opened.history.events(job.id, { limit: 10 });
      assert.deepEqual(
        events.map((event) => [event.sequence, event.type, event.createdAt]),
        [
          [1, 'submitted', 1000],
          [2, 'running', 2000],
          [3, 'delayed', 3000],
          [4, 'queued', 9000],
          [5, 'running', 9000],
        ],
      );
      assert.deepEqual(events[2]?.data, { until: 9000, code: 'RATE_LIMITED' });
      const later = await opened.history.events(job.id, { after: 3, limit: 1 });
      assert.deepEqual(
        later.map((event) => event.sequence),
        [4],
      );
    });

    it('attempts, their partial output and the result are stored', async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      await opened.history.savePartial(job.id, 1, 'so far', 2500);
      const done = await move(succeeded(running, plainResult(), 3000));
      assert.equal(done.leaseUntil, undefined);
      assert.deepEqual(await opened.history.result(job.id), plainResult());
      const [attempt] = await opened.history.attempts(job.id);
      assert.equal(attempt?.outcome, 'succeeded');
      assert.equal(attempt?.partialOutput, 'so far');
      assert.equal(attempt?.costNanos, 12);
      assert.equal(attempt?.finishedAt, 3000);
    });

    it('a page of events ends with the event that reaches its bytes, and large output becomes several events', async () => {
      const job = await create();
      await move(started(job, WORKER, 2000));
      const text = `${'x'.repeat(32_767)}\u{1f600}`.repeat(8);
      await opened.history.savePartial(job.id, 1, text, 2100);
      const read: JobEvent[] = [];
      for (let after = 2; ; after = read.at(-1)?.sequence ?? 0) {
        const page = { after, limit: 50, maxBytes: 60_000 };
        const events = await opened.history.events(job.id, page);
        if (events.length === 0) break;
        assert.ok(events.length <= 2, `${events.length} events`);
        read.push(...events);
      }
      const outputs = read.map(({ data }) => data?.output ?? '');
      assert.equal(outputs.join(''), text);
      assert.ok(outputs.every((output) => output.length <= 32_768 && output.isWellFormed()));
      assert.deepEqual(
        read.map(({ sequence }) => sequence),
        read.map((_event, index) => index + 3),
      );
      const small = await opened.history.events(job.id, { limit: 50, maxBytes: 1 });
      assert.equal(small.length, 2, 'the first event has no bytes');
    });

    it('a large result is read back as it was written, and other work runs between the steps of storing it', async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      const response = { data: Array(400_000).fill(0.125), note: ',"response":{}' };
      const result = { ...plainResult(), output: 'a ","response":{ in a text', response };
      let wasServed = false;
      setImmediate(() => {
        wasServed = true;
      });
      await move(succeeded(running, result, 3000));
      assert.ok(wasServed);
      const read = await opened.history.result(job.id);
      assert.ok(read && isWrittenJson(read.response));
      assert.deepEqual(JSON.parse(JSON.stringify(read)), result);
      assert.deepEqual(JSON.parse(writeWithResponse(read, read.response)), result);
    });

    it("the current run's output becomes events, each with the new part", async () => {
      const job = await create();
      const running = await move(started(job, WORKER, 2000));
      await opened.history.savePartial(job.id, 1, 'so', 2100);
      await opened.history.savePartial(job.id, 1, 'so', 2200);
      await opened.history.savePartial(job.id, 1, 'so f\u0000ar', 2300);
      const wait = { until: 2500, code: 'NETWORK_TIMEOUT', costsAttempt: true } as const;
      const waiting = await move(delayed(running, wait, 2400));
      await opened.history.savePartial(job.id, 1, 'so far and late', 2450);
      await move(started(waiting, WORKER, 2500));
      await opened.history.savePartial(job.id, 1, 'so far and later still', 2600);
      await opened.history.savePartial(job.id, 2, 'again', 2700);
      const events = await opened.history.events(job.id, { after: 1, limit: 50 });
      assert.deepEqual(
        events.map(({ sequence, type, createdAt, data }) => [
          sequence,
          type,
          createdAt,
          data?.output,
        ]),
        [
          [2, 'running', 2000, undefined],
          [3, 'output', 2100, 'so'],
          [4, 'output', 2300, ' far'],
          [5, 'delayed', 2400, undefined],
          [6, 'queued', 2500, undefined],
          [7, 'running', 2500, undefined],
          [8, 'output', 2700, 'again'],
        ],
      );
      const attempts = await opened.history.attempts(job.id);
      assert.deepEqual(
        attempts.map(({ partialOutput }) => partialOutput),
        ['so far and later still', 'again'],
      );
    });

    it('a lease is renewed under the current fence only', async () => {
      const running = await move(started(await create(), WORKER, 2000));
      assert.equal(await opened.jobs.touch(running.id, running.fence, { leaseUntil: 8000 }), true);
      assert.equal(
        await opened.jobs.touch(running.id, running.fence - 1, { leaseUntil: 9 }),
        false,
      );
      assert.equal((await opened.jobs.find({ id: running.id }))?.leaseUntil, 8000);
    });

    it('a handed-over job is not stalled until it is taken over', async () => {
      const job = await create({ origin: 'queue', deadlineAt: 500 });
      const route = { queue: 'shared', provider: 'p', isHandedOver: true };
      const moved = await opened.jobs.move(routed(job, route, 1000));
      assert.ok(moved && isHandedOver(moved));
      const stalled = async () =>
        (
          await Promise.all(
            (['due', 'overdue'] as const).map((kind) =>
              opened.jobs.stalled({ kind, before: 2000, limit: 10 }),
            ),
          )
        ).map((page) => page.length);
      assert.deepEqual(await stalled(), [0, 0]);
      assert.equal(await opened.jobs.touch(job.id, moved.fence, { leaseUntil: 1020 }), true);
      assert.equal((await opened.jobs.find({ id: job.id }))?.leaseUntil, 1020);
      const takenOver = { takenOverTo: 'own', publishedAt: 1030 };
      assert.equal(await opened.jobs.touch(job.id, moved.fence, takenOver), true);
      const { leaseOwner: _, leaseUntil: __, ...rest } = moved;
      const own = { ...rest, leaseOwner: undefined, leaseUntil: undefined };
      assert.deepEqual(await opened.jobs.find({ id: job.id }), {
        ...own,
        queue: 'own',
        publishedAt: 1030,
      });
      assert.deepEqual(await stalled(), [1, 1]);
    });

    it('stalled jobs are found', async () => {
      const overdue = await create({ deadlineAt: 5000 });
      const waiting = await create();
      const running = await move(started(await create(), WORKER, 2000));
      const ids = async (kind: 'due' | 'overdue' | 'unleased', before: number) =>
        (await opened.jobs.stalled({ kind, before, limit: 10 })).map((job) => job.id);
      assert.deepEqual(await ids('overdue', 4999), []);
      assert.deepEqual(await ids('overdue', 5000), [overdue.id]);
      assert.deepEqual(await ids('unleased', 2999), []);
      assert.deepEqual(await ids('unleased', 3000), [running.id]);
      assert.deepEqual(await ids('due', 999), []);
      assert.deepEqual(await ids('due', 1000), [overdue.id, waiting.id]);
      const rest = { kind: 'due', before: 1000, limit: 10, after: overdue } as const;
      assert.equal((await opened.jobs.stalled(rest)).length, 1);
    });

    it('jobs are listed newest first, by organisation and state, in pages', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 3; index += 1) {
        const job = await create();
        ids.push(job.id);
        // Jobs of all states form one list.
        if (index === 1) await move(started(job, WORKER, 2000));
      }
      await create({ organizationId: 'other' });
      const page = await opened.jobs.list({ organizationId: 'acme', limit: 2 });
      assert.deepEqual(
        page.map((job) => job.id),
        [ids[2], ids[1]],
      );
      const before = page.at(-1)?.id ?? '';
      const next = await opened.jobs.list({ organizationId: 'acme', limit: 2, before });
      assert.deepEqual(
        next.map((job) => job.id),
        [ids[0]],
      );
      const running = await opened.jobs.list({
        organizationId: 'acme',
        state: 'running',
        limit: 9,
      });
      assert.deepEqual(
        running.map((job) => job.id),
        [ids[1]],
      );
      assert.deepEqual(await opened.jobs.list({ state: 'failed', limit: 9 }), []);
      assert.equal((await opened.jobs.list({ state: 'queued', limit: 9 })).length, 3);
    });

    it('a page ends with the job that reaches its size, and has at least one job', async () => {
      const metadata = { text: 'é'.repeat(5000) };
      const ids = [
        await create({ metadata, state: 'failed' }),
        await create({ metadata }),
        await create(),
        await create({ metadata, state: 'succeeded' }),
        await create(),
      ].map(({ id }) => id);
      const newestFirst = ids.toReversed();
      const pageOf = async (page: Partial<JobPage>) =>
        (await opened.jobs.list({ organizationId: 'acme', limit: 9, ...page })).map(({ id }) => id);
      assert.deepEqual(await pageOf({ maxBytes: 1_000_000 }), newestFirst);
      assert.deepEqual(await pageOf({ maxBytes: 10_000 }), newestFirst.slice(0, 2));
      assert.deepEqual(await pageOf({ maxBytes: 12_000 }), newestFirst.slice(0, 4));
      assert.deepEqual(
        await pageOf({ maxBytes: 1 }),
        newestFirst.slice(0, 2),
        'the first has none',
      );
      const before = newestFirst[2] ?? '';
      assert.deepEqual(await pageOf({ maxBytes: 1, before }), newestFirst.slice(3, 4));
      assert.deepEqual(await pageOf({ maxBytes: 12_000, limit: 3 }), newestFirst.slice(0, 3));
      assert.deepEqual(await pageOf({ maxBytes: 10_000, state: 'failed' }), ids.slice(0, 1));
    });

    it('a dead letter is stored once, with or without a job, until it is removed', async () => {
      const { deadLetters } = opened;
      const running = await move(started(await create(), WORKER, 2000));
      const letter = {
        id: 'letter-2',
        jobId: running.id,
        organizationId: 'acme',
        queue: 'q',
        body: '{}',
        errorCode: 'INTERNAL',
        errorMessage: 'why',
        attempts: 4,
        createdAt: 3000,
      } as const;
      await move(failed(running, { verdict: VERDICT, deadLetter: letter }, 3000));
      const stray = { ...letter, id: 'letter-1', jobId: undefined, organizationId: undefined };
      const copy = [{ queue: 'dlq', message: { id: 'letter-1', body: '{}' } }];
      await deadLetters.add(stray, copy);
      await deadLetters.add({ ...stray, body: 'other' }, copy);
      const list = async (page: object) => (await deadLetters.list({ limit: 10, ...page })).letters;
      assert.deepEqual(await list({}), [stray, letter]);
      assert.deepEqual(await list({ after: 'letter-1' }), [letter]);
      assert.deepEqual(await list({ text: 'ACME' }), [letter]);
      assert.deepEqual(await list({ text: 'letter', after: 'letter-1' }), [letter]);
      assert.deepEqual(await list({ text: '{}' }), []);
      assert.deepEqual(await deadLetters.find('letter-1'), stray);
      assert.equal((await opened.queue.depth('dlq')).ready, 1);
      assert.equal(await deadLetters.remove('letter-1'), true);
      assert.equal(await deadLetters.remove('letter-1'), false);
      assert.equal(await deadLetters.count(), 1);
    });

    it('a page of dead letters ends with the one that reaches its size; a summary has no bodies', async () => {
      const { deadLetters } = opened;
      const letter = {
        queue: 'q',
        body: 'é'.repeat(5000),
        errorCode: 'INTERNAL',
        errorMessage: 'why',
        attempts: 1,
        createdAt: 3000,
      } as const;
      const ids = ['letter-1', 'letter-2', 'letter-3'];
      for (const id of ids) await deadLetters.add({ ...letter, id });
      for (const text of [undefined, 'LETTER']) {
        const page = { limit: 10, maxBytes: 12_000, ...(text !== undefined && { text }) };
        const first = await deadLetters.list(page);
        assert.deepEqual(
          first.letters.map(({ id, body }) => [id, body]),
          ids.slice(0, 2).map((id) => [id, letter.body]),
        );
        assert.equal(first.next, 'letter-2');
        const second = await deadLetters.list({ ...page, after: first.next });
        assert.deepEqual(
          second.letters.map(({ id }) => id),
          ids.slice(2),
        );
        assert.equal(second.next, undefined);
        const summary = await deadLetters.list({ ...page, maxBytes: 1, isSummary: true });
        assert.deepEqual(
          summary.letters.map(({ id, body }) => [id, body]),
          ids.map((id) => [id, '']),
        );
      }
    });
  });
}
