import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { NO_USAGE } from '../../kernel/usage.ts';
import { newJob } from '../intake/submit-job.ts';
import { withFinalMessages } from './final-messages.ts';
import type { Job, JobResult } from './job.ts';
import type { JobMessage } from './job-message.ts';
import { expired, failed, started, succeeded } from './job-moves.ts';

const BODY =
  '{"AnalysisId":"A1","prompt":"Hello","tag":{"n":12345678901234567890,"f":1.50},"error":"mine","status":1}';
const MESSAGE: JobMessage = { id: 'A1', prompt: 'Hello', source: { body: BODY } };
const RESULT: JobResult = {
  provider: 'gemini',
  model: 'gemini-3',
  output: 'done',
  response: {},
  usage: NO_USAGE,
  costNanos: 5,
};
const VERDICT = { code: 'INVALID_REQUEST', params: {}, retryable: false } as const;
const QUEUES = { resultsQueue: 'results', deadLetterQueue: 'dead' };

function runningJob(): Job {
  const given = { message: MESSAGE, submitter: { organizationId: 'acme' }, queue: 'q' };
  const job = newJob({ ...given, origin: 'queue' }, () => 'job_1', 1000);
  const assigned = { ...job, provider: 'gemini' };
  return started(assigned, { workerId: 'w', leaseMs: 1000 }, 2000).moved;
}

function bodiesOf(move: ReturnType<typeof withFinalMessages>): Record<string, string> {
  return Object.fromEntries((move.outbox ?? []).map(({ queue, message }) => [queue, message.body]));
}

suite('the final messages of a foreign job', () => {
  test("a result repeats the producer's fields exactly, except under Spillway's names", () => {
    const move = succeeded(runningJob(), RESULT, 3000);
    const { results = '' } = bodiesOf(withFinalMessages(move, QUEUES, MESSAGE));
    assert.match(results, /^\{"id":"A1","AnalysisId":"A1","status":"succeeded"/);
    assert.match(results, /"prompt":"Hello","tag":\{"n":12345678901234567890,"f":1\.50\}\}$/);
    assert.equal(JSON.parse(results).error, undefined);
  });

  test('a field of more than 64 KiB is left out of the result', () => {
    const body = JSON.stringify({ small: 's', image: 'x'.repeat(70_000) });
    const move = succeeded(runningJob(), RESULT, 3000);
    const message = { ...MESSAGE, source: { body } };
    const { results = '' } = bodiesOf(withFinalMessages(move, QUEUES, message));
    assert.equal(JSON.parse(results).small, 's');
    assert.equal(JSON.parse(results).image, undefined);
  });

  test('a failure is published to the results queue alone by default', () => {
    const move = failed(runningJob(), { verdict: VERDICT }, 3000);
    const bodies = bodiesOf(withFinalMessages(move, QUEUES, MESSAGE));
    assert.deepEqual(Object.keys(bodies), ['results']);
  });

  for (const move of [
    failed(runningJob(), { verdict: VERDICT }, 3000),
    expired(runningJob(), 3000),
  ])
    test(`without failures on the results queue a job that is ${move.to} goes to the dead-letter queue`, () => {
      const queues = { ...QUEUES, includesFailures: false };
      const bodies = bodiesOf(withFinalMessages(move, queues, MESSAGE));
      assert.deepEqual(Object.keys(bodies), ['dead']);
      const { error, ...fields } = JSON.parse(bodies['dead'] ?? '');
      const { error: _, ...own } = JSON.parse(BODY);
      assert.deepEqual(fields, own);
      assert.deepEqual(
        [error.code, error.timestamp, error.attempts, error.provider],
        [move.moved.error?.code, '1970-01-01T00:00:03.000Z', 1, 'gemini'],
      );
      assert.match(bodies['dead'] ?? '', /"n":12345678901234567890,"f":1\.50/);
    });

  test("a caller's job publishes neither", () => {
    const job: Job = { ...runningJob(), origin: 'http' };
    const queues = { ...QUEUES, includesFailures: false };
    const move = failed(job, { verdict: VERDICT }, 3000);
    assert.deepEqual(bodiesOf(withFinalMessages(move, queues, MESSAGE)), {});
  });
});
