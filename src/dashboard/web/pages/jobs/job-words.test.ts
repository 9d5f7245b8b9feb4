import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../../errors/codes.ts';
import type { JobRow } from '../../../api/jobs.ts';
import { WAIT_WORDS } from '../../../readings/wait-words.ts';
import { clockText } from '../../charts/figure-text.ts';
import {
  JOB_STATUSES,
  jobCursorAt,
  jobPhrase,
  jobStatusState,
  jobStatusWord,
  WAIT_CODES,
} from './job-words.ts';

const job: JobRow = {
  jobId: '1',
  id: '1',
  organizationId: 'acme',
  status: 'delayed',
  attempts: 0,
  priority: 0,
  createdAt: 0,
  updatedAt: 0,
  queue: 'q',
  assignedProvider: null,
  assignedModel: null,
  dueAt: 5000,
};
const limited = { code: 'RATE_LIMITED', message: '', retryable: true, params: {} };

test('a delayed job states its reason and its due time', () => {
  const text = jobPhrase({ ...job, waitingFor: limited }, 0);
  assert.equal(text, `waits for a free slot until ${clockText(5000)}`);
  assert.equal(jobPhrase(job, 0), `waits for its due time until ${clockText(5000)}`);
});

test('a due time in the past is not shown', () => {
  assert.equal(jobPhrase({ ...job, waitingFor: limited }, 9000), 'waits for a free slot');
});

test('a failed job states its error', () => {
  const error = {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'the provider failed',
    retryable: false,
    params: {},
  };
  assert.equal(jobPhrase({ ...job, status: 'failed', error }, 0), 'the provider failed');
});

test('every status has a word and a state', () => {
  for (const status of JOB_STATUSES) {
    assert.ok(jobStatusWord(status));
    assert.ok(jobStatusState(status));
  }
});

test('every phrase of a wait belongs to a code of the gateway', () => {
  const known: readonly string[] = ERROR_CODES;
  assert.deepEqual(
    WAIT_CODES.filter((code) => !known.includes(code)),
    [],
  );
});

test('the cursor of a time lies between the jobs before and after it', () => {
  const hex = (id: string) => Buffer.from(id, 'latin1').toString('hex');
  const idAt = (atMs: number) => `job_${atMs.toString(16).padStart(12, '0')}7abcdef0123456789abc`;
  const at = Date.UTC(2026, 10, 18);
  assert.ok(hex(idAt(at - 1)) < jobCursorAt(at));
  assert.ok(jobCursorAt(at) < hex(idAt(at)));
});

test('a timeline explains a wait in the words of the page', () => {
  assert.deepEqual(Object.keys(WAIT_WORDS), WAIT_CODES);
  for (const [code, words] of Object.entries(WAIT_WORDS))
    assert.equal(jobPhrase({ ...job, dueAt: null, waitingFor: { ...limited, code } }, 0), words);
});
