// The contract of the ports RequestList, SpendStore and JobFigures: the readings of the dashboard. The test of each adapter
// calls it with its own store.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Job } from '../../../src/jobs/model/job.ts';
import type { JobFigures } from '../../../src/jobs/ports/job-figures.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';
import type { SpendStore } from '../../../src/metering/spend/spend-store.ts';
import type { RequestList } from '../../../src/metering/usage/request-list.ts';
import type { UsageRecord } from '../../../src/metering/usage/usage-record.ts';
import type { UsageStore } from '../../../src/metering/usage/usage-store.ts';

export type OpenedReadings = {
  readonly requests: RequestList;
  readonly spend: SpendStore;
  readonly jobs: JobFigures;
  readonly usage: UsageStore;
  addOrganization(id: string): Promise<unknown>;
  addJob(job: Pick<Job, 'id' | 'state' | 'runAt' | 'metadata'>): Promise<unknown>;
  close(): Promise<void>;
};

const HOUR = 3_600_000;
const AT = Date.UTC(2026, 2, 1, 12, 30);
const RANGE = { from: AT - HOUR, to: AT + HOUR };

export function dashboardReadingsContract(
  adapter: string,
  open: () => Promise<OpenedReadings>,
): void {
  describe(`readings of the dashboard on ${adapter}`, () => {
    let opened: OpenedReadings;
    beforeEach(async () => {
      opened = await open();
      await opened.addOrganization('acme');
      await opened.addOrganization('other');
    });
    afterEach(() => opened.close());

    it('lists the last attempt of each request, newest first, page by page', async () => {
      const { requests, usage } = opened;
      await usage.insertBatch([
        record('req_a', 1, { status: 'PROVIDER_UNAVAILABLE' }),
        record('req_a', 2, { createdAt: AT + 1 }),
        record('req_b', 1, { createdAt: AT + 2, organizationId: 'other' }),
        record('req_c', 1, { createdAt: AT + 3 }),
      ]);
      const first = await requests.page({ ...RANGE, limit: 2 });
      assert.deepEqual(idsOf(first.records), ['req_c.1', 'req_b.1']);
      const second = await requests.page({ ...RANGE, limit: 2, before: first.next });
      assert.deepEqual(idsOf(second.records), ['req_a.2']);
      assert.equal(second.next, undefined);
    });

    it('filters requests by code, model, provider, organisation and duration', async () => {
      const { requests, usage } = opened;
      await usage.insertBatch([
        record('req_a', 1, { status: 'INTERNAL', model: 'slow', latencyMs: 5000 }),
        record('req_b', 1, { createdAt: AT + 1, organizationId: 'other', provider: 'openai' }),
        record('req_c', 1, { createdAt: AT + 2, status: 'CLIENT_GONE' }),
      ]);
      const ids = async (filter: object) =>
        idsOf((await requests.page({ ...RANGE, limit: 10, ...filter })).records);
      assert.deepEqual(await ids({ code: 'INTERNAL' }), ['req_a.1']);
      assert.deepEqual(await ids({ code: 'failed' }), ['req_a.1']);
      assert.deepEqual(await ids({ code: 'OK' }), ['req_b.1']);
      assert.deepEqual(await ids({ model: 'slow' }), ['req_a.1']);
      assert.deepEqual(await ids({ provider: 'openai' }), ['req_b.1']);
      assert.deepEqual(await ids({ organizationId: 'other' }), ['req_b.1']);
      assert.deepEqual(await ids({ minLatencyMs: 4000 }), ['req_a.1']);
    });

    it('a page with filters ends at its window and returns the cursor of the next page', async () => {
      const { requests, usage } = opened;
      const many = Array.from({ length: 2100 }, (_, index) =>
        record(`req_${String(index).padStart(5, '0')}`, 1, {
          createdAt: AT + index,
          status: index === 0 ? 'INTERNAL' : 'OK',
        }),
      );
      await usage.insertBatch(many);
      const filter = { ...RANGE, limit: 10, code: 'INTERNAL' };
      const first = await requests.page(filter);
      assert.deepEqual(first.records, []);
      const second = await requests.page({ ...filter, before: first.next });
      assert.deepEqual(idsOf(second.records), ['req_00000.1']);
      assert.equal(second.next, undefined);
    });

    it('finds all attempts of a request in order, and none of a request with a longer id', async () => {
      const { requests, usage } = opened;
      await usage.insertBatch([
        ...[1, 2, 10].map((attempt) => record('req_a', attempt, { createdAt: AT + attempt })),
        record('req_ab', 1),
      ]);
      const found = await requests.attempts('req_a');
      assert.deepEqual(idsOf(found), ['req_a.1', 'req_a.2', 'req_a.10']);
    });

    it('sums an hour over all organisations, however often it is rolled up', async () => {
      const { spend, usage } = opened;
      await usage.insertBatch([
        record('req_a', 1),
        record('req_b', 1, { organizationId: 'other', provider: 'openai' }),
        record('req_c', 1, { model: 'large', costNanos: 5 }),
      ]);
      const hourStart = AT - (AT % HOUR);
      await spend.rollUpHour(hourStart);
      await spend.rollUpHour(hourStart);
      const rows = await spend.hours(hourStart, hourStart + HOUR);
      assert.deepEqual(
        rows.toSorted((one, other) => one.costNanos - other.costNanos),
        [
          { hourStart, model: 'large', costNanos: 5 },
          { hourStart, model: 'small', costNanos: 2000 },
        ],
      );
    });

    it('lists the organisations with spending in a month in slices, and their recent costs', async () => {
      const { spend, usage } = opened;
      await usage.insertBatch([
        record('req_a', 1, { budgetMonth: 202603 }),
        record('req_b', 1, { organizationId: 'other', budgetMonth: 202603 }),
      ]);
      const [first] = await spend.spenders(202603, '', 1);
      assert.deepEqual([first?.organizationId, first?.postedNanos], ['acme', 1000]);
      const rest = await spend.spenders(202603, 'acme', 10);
      assert.deepEqual(
        rest.map(({ organizationId }) => organizationId),
        ['other'],
      );
      assert.deepEqual(await spend.spenders(202604, '', 10), []);
      const recent = await spend.spentSince(['acme', 'none'], AT);
      assert.deepEqual([...recent.keys()], ['acme']);
      const days = await spend.organizationDays('acme', AT - (AT % HOUR), AT + HOUR);
      assert.deepEqual(
        days.map(({ costNanos }) => costNanos),
        [1000],
      );
    });

    it('lists jobs of all organisations by state: newest first, waiting jobs by due time', async () => {
      const { jobs } = opened;
      await opened.addJob({ id: 'job_1', state: 'queued', runAt: AT + 5 });
      await opened.addJob({ id: 'job_2', state: 'queued', runAt: AT });
      const first = await jobs.list({ state: 'queued', limit: 1 });
      assert.deepEqual(
        first.jobs.map(({ id }) => id),
        ['job_2'],
      );
      const second = await jobs.list({ state: 'queued', limit: 1, before: first.next });
      assert.deepEqual(
        second.jobs.map(({ id }) => id),
        ['job_1'],
      );
      for (const state of ['running', 'succeeded', 'failed', 'delayed'] as const)
        assert.deepEqual(await jobs.list({ state, limit: 5 }), { jobs: [], next: undefined });
      assert.deepEqual(await jobs.nextDue(AT, 5), [{ provider: undefined, runAt: AT + 5 }]);
      assert.equal(await jobs.deadLetters(10), 0);
      assert.equal(await jobs.running(10), 0);
      assert.equal(await jobs.deadLetterOf('job_1'), undefined);
    });

    it('a page of jobs in a state ends with the job that reaches its size', async () => {
      const { jobs } = opened;
      const metadata = { text: 'é'.repeat(5000) };
      for (const state of ['queued', 'running', 'succeeded', 'failed'] as const) {
        const ids = ['a', 'b', 'c'].map((name) => `${state}_${name}`);
        for (const [index, id] of ids.entries())
          await opened.addJob({ id, state, runAt: AT + index, metadata });
        const inOrder = state === 'queued' ? ids : ids.toReversed();
        const page = { state, limit: 5, maxBytes: 12_000 };
        const first = await jobs.list(page);
        assert.deepEqual(
          first.jobs.map(({ id }) => id),
          inOrder.slice(0, 2),
        );
        assert.deepEqual(first.jobs[0]?.metadata, metadata);
        assert.ok(first.next);
        const second = await jobs.list({ ...page, before: first.next });
        assert.deepEqual(
          second.jobs.map(({ id }) => id),
          inOrder.slice(2),
        );
        assert.equal(second.next, undefined);
        assert.equal((await jobs.list({ ...page, maxBytes: 1 })).jobs.length, 1);
      }
    });
  });
}

function idsOf(records: readonly UsageRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

function record(
  requestId: string,
  attempt: number,
  fields: Partial<UsageRecord> = {},
): UsageRecord {
  return {
    ...NO_USAGE,
    id: `${requestId}.${attempt}`,
    requestId,
    attempt,
    organizationId: 'acme',
    keyId: 'key',
    userId: undefined,
    provider: 'anthropic',
    model: 'small',
    costNanos: 1000,
    category: undefined,
    latencyMs: 10,
    status: 'OK',
    streamed: false,
    estimated: false,
    createdAt: AT,
    ...fields,
  };
}
