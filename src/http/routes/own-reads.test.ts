// Every endpoint that reads a caller's own data takes one of the organisation's read slots, on the embedded store.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plainJob } from '../../../test/contract/jobs/job-samples.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createBuildEventStore } from '../../adapters/sql/build-events.ts';
import { createJobHistory } from '../../adapters/sql/jobs/job-history.ts';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { openSqlite, type SqliteStore } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';
import { KEY_SCOPES } from '../../admission/key-scope.ts';
import { newOrganization } from '../../admission/organization.ts';
import { toPrincipal } from '../../admission/principal.ts';
import { createOwnReads } from '../../flow/serve/own-reads.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { createInProcessApi, type InProcessApi } from '../in-process.ts';
import { createErrorReplier } from '../reply-error.ts';
import { createLiveReplies } from '../sse-reply.ts';
import { budgetRoutes } from './budget.ts';
import { buildRoutes } from './builds.ts';
import { jobEventRoutes } from './job-events.ts';
import { jobRoutes } from './jobs.ts';
import { usageRoutes } from './usage.ts';

const ORGANIZATION = 'acme';
const MESSAGE: JobMessage = { prompt: 'hello' };
const reads = createOwnReads({ concurrent: 1, queued: 0 });
const clock = createTestClock();

let store: SqliteStore;
let jobs: JobStore;
let api: InProcessApi;
before(async () => {
  store = await openSqlite(':memory:');
  jobs = createJobStore({ db: store.db, signals: createQueueSignals() });
  const history = createJobHistory(store.db);
  const gate = callerGate();
  const unused = () => Promise.reject(new Error('not read by a caller'));
  const parts = { gate, clock, reads };
  const budget = {
    limitNanos: 1,
    spentNanos: 0,
    reservedNanos: 0,
    resetAt: 1,
    forecastExhaustedAt: undefined,
  };
  api = await createInProcessApi({
    routes: [
      jobRoutes({
        ...parts,
        jobs,
        history,
        admit: unused,
        operations: { submit: unused, cancel: unused, estimate: () => Promise.resolve({}) },
      }),
      jobEventRoutes({ ...parts, jobs, history }),
      buildRoutes({
        ...parts,
        emit: unused,
        reportLimit: unused,
        events: createBuildEventStore(store),
        watch: { watch: () => () => {} },
        live: createLiveReplies(clock),
        fields: 'current',
      }),
      usageRoutes({ ...parts, usage: createSqliteUsageStore(store), requireOrganization: unused }),
      budgetRoutes({
        ...parts,
        ledger: {
          status: (_owner, kind) => Promise.resolve(kind === 'organization' ? budget : undefined),
        },
        terms: {
          budgetOf: ({ organizationId, timeZone, keyId }) => ({
            organizationId,
            timeZone,
            keyId,
            organizationLimitNanos: 1,
            keyLimitNanos: undefined,
            userLimitNanos: undefined,
          }),
        },
        organizations: { find: unused },
      }),
    ],
    replyError: createErrorReplier(clock, silentLog),
    newId,
  });
});
after(async () => {
  await api.close();
  await store.close();
});

function callerGate() {
  const organization = newOrganization({ id: ORGANIZATION }, 1);
  const principal = toPrincipal({
    organization,
    key: {
      id: 'key_1',
      organizationId: ORGANIZATION,
      name: 'a key',
      hash: '',
      prefix: '',
      scopes: KEY_SCOPES,
      diagnostics: false,
      createdAt: 1,
    },
  });
  assert.ok(principal);
  return {
    requireAdmin: () => {},
    requireScope(request: { principal?: typeof principal }) {
      request.principal = principal;
      return Promise.resolve(principal);
    },
    requireAdminOrScope: () => Promise.resolve(),
  };
}

const get = (path: string) => api.call({ method: 'GET', path });

test("every read of a caller's own data needs a read slot", async () => {
  const { job } = await jobs.create(plainJob(), MESSAGE);
  const paths = [
    '/v1/jobs',
    `/v1/jobs/${job.publicId}`,
    `/v1/jobs/${job.publicId}/events`,
    '/v1/builds/site/events',
    '/v1/usage',
    '/v1/budget',
  ];
  const { promise, resolve } = Promise.withResolvers<void>();
  const longRead = reads(ORGANIZATION, () => promise);
  for (const path of paths) {
    const { status, text } = await get(path);
    assert.equal(status, 429, path);
    assert.match(text, /RATE_LIMITED/);
  }
  resolve();
  await longRead;
  for (const path of paths) assert.equal((await get(path)).status, 200, path);
});

test('a page of jobs with large metadata is short, and its cursor leads to the others', async () => {
  const made: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    const metadata = { text: 'x'.repeat(10_000) };
    const { job } = await jobs.create(plainJob({ metadata }), MESSAGE);
    made.unshift(job.publicId);
  }
  const pages: string[][] = [];
  let cursor = '';
  while (pages.length < 10) {
    const { text } = await get(`/v1/jobs?limit=50${cursor}`);
    const page = JSON.parse(text) as { data: { id: string }[]; nextCursor: string | null };
    pages.push(page.data.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.ok(pages.length > 2, `${pages.length} pages`);
  assert.deepEqual(pages.flat().slice(0, made.length), made);
});
