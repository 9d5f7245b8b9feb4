// The contract of a BuildEventStore, with the build events of jobs. The test of each adapter calls it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BuildEvent, NewBuildEvent } from '../../src/events/build-event.ts';
import type { BuildEventStore } from '../../src/events/build-event-store.ts';
import { newJob } from '../../src/jobs/intake/submit-job.ts';
import type { Job } from '../../src/jobs/model/job.ts';
import { delayed, expired, failed, started, succeeded } from '../../src/jobs/model/job-moves.ts';
import type { JobHistory } from '../../src/jobs/ports/job-history.ts';
import type { JobStore } from '../../src/jobs/ports/job-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { NO_USAGE } from '../../src/kernel/usage.ts';

export type OpenedBuildEvents = {
  /** Rows without an organisation belong to `UNOWNED_ORGANIZATION`. */
  readonly events: BuildEventStore;
  /** Inserts a row without an organisation, as another system does. */
  insertUnowned(buildId: string): Promise<void>;
  /** Jobs on the same store; their progress becomes build events. */
  readonly jobs: JobStore;
  readonly history: JobHistory;
  close(): Promise<void>;
};

export const UNOWNED_ORGANIZATION = 'legacy';

const AT = 1_900_000_000_123;

export function buildEventStoreContract(
  adapter: string,
  open: () => Promise<OpenedBuildEvents>,
): void {
  describe(`build events on ${adapter}`, () => {
    let opened: OpenedBuildEvents;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    function read(buildId: string, page: Partial<Parameters<BuildEventStore['list']>[0]> = {}) {
      const all = { organizationId: 'acme', buildId, after: 0, limit: 100, ...page };
      return opened.events.list(all);
    }

    it('every field is read back', async () => {
      const event: NewBuildEvent = {
        ...plain('every-field'),
        userId: 'u ☂',
        data: { nested: [1, 'two', null], '☂': 'ü' },
        userVisible: false,
        phase: 'deploy',
        title: 'Title',
        description: 'Longer\ntext',
        overallProgress: 37.5,
        finished: true,
        previewUrl: 'https://example.com/p',
        durationSeconds: 12.25,
        error: {
          code: 'AI_LIMIT_REACHED',
          params: { resetTime: 1_900_000_360_000 },
          message: 'Try again later.',
          internalMessage: 'Claude AI usage limit reached|1900000360',
        },
      };
      const [id] = await opened.events.append([event]);
      assert.deepEqual(await read('every-field'), [{ ...event, id }]);
    });

    it('absent fields stay empty', async () => {
      const [id] = await opened.events.append([plain('bare')]);
      const empty = {
        userId: undefined,
        phase: undefined,
        title: undefined,
        description: undefined,
        overallProgress: undefined,
        previewUrl: undefined,
        durationSeconds: undefined,
        error: undefined,
      };
      assert.deepEqual(await read('bare'), [{ ...plain('bare'), ...empty, id }]);
    });

    it('a page ends after the event that reaches its size, and has at least one event', async () => {
      const large = { ...plain('large'), data: { text: 'é'.repeat(5000) } };
      const ids = await opened.events.append([plain('large'), large, large, plain('large')]);
      const pageOf = async (maxBytes: number, after = 0) =>
        idsOf(await read('large', { maxBytes, after }));
      assert.deepEqual(await pageOf(1_000_000), ids);
      assert.deepEqual(await pageOf(10_000), ids.slice(0, 2));
      assert.deepEqual(await pageOf(12_000), ids.slice(0, 3));
      assert.deepEqual(await pageOf(1, ids[0]), ids.slice(1, 2));
      assert.deepEqual(await pageOf(1, ids[3]), []);
    });

    it('pages are in order, after a given id, and can be of one user', async () => {
      const ids = await opened.events.append([
        { ...plain('pages'), userId: 'one' },
        { ...plain('pages'), userId: 'two' },
        { ...plain('pages'), userId: 'one' },
      ]);
      assert.deepEqual(idsOf(await read('pages')), ids);
      assert.deepEqual(idsOf(await read('pages', { limit: 2 })), ids.slice(0, 2));
      assert.deepEqual(idsOf(await read('pages', { after: ids[1] ?? 0 })), ids.slice(2));
      assert.deepEqual(idsOf(await read('pages', { userId: 'one' })), [ids[0], ids[2]]);
    });

    it('organisations are separated, except for operators', async () => {
      await opened.events.append([
        plain('shared-id'),
        { ...plain('shared-id'), organizationId: 'other' },
      ]);
      assert.equal((await read('shared-id')).length, 1);
      assert.equal((await read('shared-id', { organizationId: 'third' })).length, 0);
      assert.equal((await read('shared-id', { organizationId: undefined })).length, 2);
    });

    it('rows without an organisation belong to the configured one', async () => {
      const mine = { organizationId: UNOWNED_ORGANIZATION, buildId: 'unowned' };
      const others = { organizationId: 'acme', buildId: 'unowned' };
      await opened.events.append([{ ...plain('unowned'), ...mine }, plain('unowned')]);
      const [before] = await opened.events.latest([mine]);
      await opened.insertUnowned('unowned');
      const events = await read('unowned', mine);
      assert.deepEqual(
        events.map(({ organizationId, type }) => [organizationId, type]),
        [
          [UNOWNED_ORGANIZATION, 'step'],
          [UNOWNED_ORGANIZATION, 'theirs'],
        ],
      );
      assert.equal((await read('unowned', others)).length, 1);
      assert.equal((await read('unowned', { organizationId: undefined })).length, 3);
      const [latest, theirs] = await opened.events.latest([mine, others]);
      assert.equal(latest?.id, events.at(-1)?.id);
      assert.ok((latest?.id ?? 0) > (before?.id ?? 0));
      assert.equal(theirs?.id, (await read('unowned', others))[0]?.id);
    });

    it('a report is written completely or not at all', async () => {
      const broken = { ...plain('whole'), type: null as unknown as string };
      await assert.rejects(opened.events.append([plain('whole'), broken]));
      assert.deepEqual(await read('whole'), []);
    });

    it('a reader that continues after the last id misses no event of concurrent writers', async () => {
      const seen: number[] = [];
      let isWriting = true;
      const writers = Array.from({ length: 8 }, async () => {
        for (let count = 0; count < 10; count += 1) await opened.events.append([plain('race')]);
      });
      const reader = (async () => {
        for (;;) {
          const wasWriting = isWriting;
          const page = await read('race', { after: seen.at(-1) ?? 0 });
          seen.push(...idsOf(page));
          if (!wasWriting && page.length === 0) return;
        }
      })();
      await Promise.all(writers);
      isWriting = false;
      await reader;
      assert.equal(seen.length, 80);
    });

    it('the last ids of many builds are read at once', async () => {
      const [, last] = await opened.events.append([plain('last'), plain('last')]);
      const mine = { organizationId: 'acme', buildId: 'last' };
      const none = { organizationId: 'other', buildId: 'last' };
      assert.deepEqual(await opened.events.latest([mine, none]), [
        { ...mine, id: last },
        { ...none, id: 0 },
      ]);
      assert.deepEqual(await opened.events.latest([]), []);
    });

    it("a job's moves write its build events under its public id", async () => {
      const job = await submit('job-build');
      const running = await move(started(job, WORKER, AT + 1));
      await opened.history.savePartial(job.id, 1, 'Hel', AT + 1);
      await opened.history.savePartial(job.id, 1, 'Hello', AT + 1);
      const wait = { until: AT + 9, code: 'RATE_LIMITED', costsAttempt: false } as const;
      const waiting = await move(delayed(running, wait, AT + 2));
      const again = await move(started(waiting, WORKER, AT + 9));
      assert.equal(await opened.jobs.move(started(waiting, WORKER, AT + 9)), undefined);
      await move(succeeded(again, RESULT, AT + 10));
      const events = await read('job-build');
      assert.deepEqual(
        events.map(({ type, finished, createdAt }) => [type, finished, createdAt - AT]),
        [
          ['job.submitted', false, 0],
          ['job.running', false, 1],
          ['job.output', false, 5],
          ['job.output', false, 5],
          ['job.delayed', false, 2],
          ['job.queued', false, 9],
          ['job.running', false, 9],
          ['job.succeeded', true, 10],
        ],
      );
      assert.deepEqual(
        events.map(({ data }) => data),
        [
          {},
          { attempt: 1 },
          { output: 'Hel' },
          { output: 'lo' },
          { until: AT + 9, code: 'RATE_LIMITED' },
          {},
          { attempt: 1 },
          {},
        ],
      );
      assert.equal(events[0]?.userId, 'u1');
    });

    it("a failed job's event has a sentence for its owner and the raw text for operators", async () => {
      const running = await move(started(await submit('job-failed'), WORKER, AT));
      const verdict = { code: 'AUTH_FAILED', params: {}, retryable: false } as const;
      const deadLetter = {
        id: 'letter-1',
        jobId: running.id,
        queue: 'q',
        body: '{}',
        errorCode: 'AUTH_FAILED',
        errorMessage: 'the key was refused',
        attempts: 1,
        createdAt: AT,
      } as const;
      await move(failed(running, { verdict, deadLetter }, AT));
      const last = (await read('job-failed')).at(-1);
      assert.equal(last?.finished, true);
      assert.deepEqual(last?.data, {});
      assert.equal(last?.error?.code, 'AUTH_FAILED');
      assert.deepEqual(last?.error?.params, {});
      assert.match(last?.error?.message ?? '', /\w{3,} \w+/);
      assert.equal(last?.error?.internalMessage, 'the key was refused');
      const late = await submit('job-late');
      await move(expired(late, AT));
      assert.equal((await read('job-late')).at(-1)?.error?.code, 'NETWORK_TIMEOUT');
    });

    it('old events are deleted in batches', async () => {
      await opened.events.append([{ ...plain('old'), createdAt: 1000 }, plain('old')]);
      let deleted = 0;
      for (let round = 0; round < 3; round += 1)
        deleted += await opened.events.prune(AT - 1, 10_000);
      assert.equal(deleted, 1);
      assert.equal((await read('old')).length, 1);
    });

    async function submit(publicId: string): Promise<Job> {
      const message = { id: publicId, prompt: 'hello' };
      const submitter = { organizationId: 'acme', userId: 'u1' };
      const given = { message, submitter, origin: 'http', queue: 'raw' } as const;
      const { job } = await opened.jobs.create(newJob(given, newId, AT), message);
      return job;
    }

    async function move(...[made]: Parameters<JobStore['move']>): Promise<Job> {
      const moved = await opened.jobs.move(made);
      assert.ok(moved);
      return moved;
    }
  });
}

/** The clock of the events that the store writes itself. */
export const BUILD_EVENTS_CLOCK_START = AT + 5;

const WORKER = { workerId: 'worker-1', leaseMs: 1000 };
const RESULT = {
  provider: 'openai',
  model: 'gpt-5',
  output: 'Hello',
  response: {},
  usage: NO_USAGE,
  costNanos: 1,
};

function plain(buildId: string): NewBuildEvent {
  return {
    organizationId: 'acme',
    buildId,
    type: 'step',
    data: {},
    userVisible: true,
    finished: false,
    createdAt: AT,
  };
}

function idsOf(events: readonly BuildEvent[]): readonly number[] {
  return events.map(({ id }) => id);
}
