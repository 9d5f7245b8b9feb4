// Callbacks on embedded storage, under a test clock.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import { createJobHistory } from '../../adapters/sql/jobs/job-history.ts';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createJobQueue } from '../../adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { openSqlite, type SqliteStore } from '../../adapters/sqlite/open-sqlite.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { signWebhook } from '../../kernel/notify/webhook-signature.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { newJob } from '../intake/submit-job.ts';
import { withFinalMessages } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import { failed, retried, started, succeeded } from '../model/job-moves.ts';
import type { EgressRequest } from '../ports/egress.ts';
import type { Consumer } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { startCallbacks } from './deliver-callback.ts';

const DAY_MS = 86_400_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const HOOK = { callbackUrl: 'https://example.com/hook' };
const WORKER = { workerId: 'w', leaseMs: 1000 };
const RESULT = {
  provider: 'openai',
  model: 'gpt-5',
  output: 'Hello',
  response: { id: 1 },
  usage: NO_USAGE,
  costNanos: 5,
};

describe('callbacks', () => {
  let store: SqliteStore;
  let jobs: JobStore;
  let clock: TestClock;
  let callbacks: Consumer;
  let sent: EgressRequest[];
  /** The next answer of the owner's host: a status, or undefined if it is unreachable. */
  let answer: () => number;

  beforeEach(async () => {
    store = await openSqlite(':memory:');
    clock = createTestClock();
    const signals = createQueueSignals();
    jobs = createJobStore({ db: store.db, signals });
    sent = [];
    answer = () => 200;
    callbacks = startCallbacks({
      store: jobs,
      history: createJobHistory(store.db),
      queue: createJobQueue({ ...store, signals, clock, log: silentLog, newId }),
      egress: {
        async send(request) {
          sent.push(request);
          return { status: answer(), contentType: undefined, body: Buffer.of(), isCut: false };
        },
      },
      ownerOf: async (id) => (id === 'acme' ? { secret: SECRET, messages: {} } : undefined),
      clock,
      log: silentLog,
    });
  });
  afterEach(async () => {
    await callbacks.close();
    await store.close();
  });

  async function run(asked: { callbackUrl?: string } = HOOK): Promise<Job> {
    const message = { id: 'mine', prompt: 'hi', metadata: { order: 7 }, ...asked };
    const submitter = { organizationId: 'acme' };
    const given = { message, submitter, origin: 'http', queue: 'raw' } as const;
    const { job } = await jobs.create(newJob(given, newId, clock.now()), message);
    const running = await jobs.move(started(job, WORKER, clock.now()));
    assert.ok(running);
    return running;
  }

  async function end(running: Job, move = succeeded(running, RESULT, clock.now())): Promise<Job> {
    const ended = await jobs.move(withFinalMessages(move, {}, undefined));
    assert.ok(ended);
    await clock.advance(0);
    return ended;
  }

  const failure = { code: 'AUTH_FAILED', params: {}, retryable: false } as const;

  it('the result is delivered once, signed with the organisation’s secret', async () => {
    await end(await run());
    const [request, ...others] = sent;
    assert.deepEqual(others, []);
    assert.equal(request?.url, 'https://example.com/hook');
    const body = JSON.parse(request?.body ?? '');
    assert.equal(body.type, 'job.succeeded');
    assert.equal(body.id, 'mine');
    assert.equal(body.output, 'Hello');
    assert.deepEqual(body.metadata, { order: 7 });
    const id = request?.headers['webhook-id'] ?? '';
    const signed = signWebhook(SECRET, { id, sentAt: clock.now(), body: request?.body ?? '' });
    for (const [name, value] of Object.entries(signed)) assert.equal(request?.headers[name], value);
    await clock.advance(DAY_MS);
    assert.equal(sent.length, 1);
  });

  it('a failure is delivered with its public code and sentence', async () => {
    const running = await run();
    await end(running, failed(running, { verdict: failure }, clock.now()));
    const body = JSON.parse(sent[0]?.body ?? '');
    assert.equal(body.status, 'failed');
    assert.equal(body.error.code, 'AUTH_FAILED');
  });

  it('a job without a callback URL gets no callback', async () => {
    await end(await run({}));
    assert.equal(sent.length, 0);
  });

  it('a failed callback is retried with growing delays and the same id until the host accepts it', async () => {
    answer = () => (sent.length < 4 ? 500 : 204);
    await end(await run());
    const at: number[] = [];
    for (let count = sent.length; sent.length < 4; count = sent.length) {
      while (sent.length === count) await clock.advance(1000);
      at.push(clock.now());
    }
    const waits = at.map((moment, index) => moment - (at[index - 1] ?? at[0] ?? 0)).slice(1);
    assert.ok((waits[0] ?? 0) < (waits[1] ?? 0));
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size, 4);
    await clock.advance(DAY_MS);
    assert.equal(sent.length, 4);
  });

  it('a callback that fails for a day is not retried', async () => {
    answer = () => {
      throw new SpillwayError('NETWORK_TIMEOUT', 'away');
    };
    await end(await run());
    await clock.advance(DAY_MS);
    const tries = sent.length;
    assert.ok(tries >= 8 && tries <= 20, `${tries} tries`);
    await clock.advance(7 * DAY_MS);
    assert.equal(sent.length, tries);
  });

  it('a host that answers 410 gets no further callback', async () => {
    answer = () => 410;
    await end(await run());
    await clock.advance(DAY_MS);
    assert.equal(sent.length, 1);
  });

  it('a job that was retried after its end gets no callback for that end', async () => {
    answer = () => 500;
    const running = await run();
    const ended = await end(running, failed(running, { verdict: failure }, clock.now()));
    const again = await jobs.move(retried(ended, 'raw', clock.now()));
    assert.ok(again);
    await clock.advance(DAY_MS);
    assert.equal(sent.length, 1);
    answer = () => 200;
    const second = await jobs.move(started(again, WORKER, clock.now()));
    assert.ok(second);
    await end(second);
    assert.equal(sent.length, 2);
    assert.notEqual(sent[0]?.headers['webhook-id'], sent[1]?.headers['webhook-id']);
  });
});
