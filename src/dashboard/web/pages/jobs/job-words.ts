// The state of a job in words: "waits for a free slot until 14:20:05". The codes stay in the API; a page shows sentences.

import type { JobRow, JobStatus } from '../../../api/jobs.ts';
import { nearTimeText } from '../../charts/figure-text.ts';
import type { State } from '../../charts/tone.ts';

export const JOB_STATUSES: readonly JobStatus[] = [
  'queued',
  'delayed',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
];

const WORDS: Readonly<Record<JobStatus, string>> = {
  queued: 'waiting',
  delayed: 'delayed',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
};

const STATES: Readonly<Record<JobStatus, State>> = {
  queued: 'unknown',
  delayed: 'degraded',
  running: 'good',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'unknown',
  expired: 'bad',
};

/** The reasons of a wait, by the code of `waitingFor`; another code is named as it is. */
const WAITS: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'waits for a free slot',
  AI_LIMIT_REACHED: "waits for the provider's limit to reset",
  PROVIDER_UNAVAILABLE: 'waits for a provider to recover',
  NETWORK_TIMEOUT: 'waits to retry after a timeout',
  CAPACITY_EXHAUSTED: 'waits for capacity',
  BUDGET_EXCEEDED: 'waits for budget',
};

/** The codes that have a phrase of their own. */
export const WAIT_CODES: readonly string[] = Object.keys(WAITS);

export function jobStatusWord(status: JobStatus): string {
  return WORDS[status];
}

export function jobStatusState(status: JobStatus): State {
  return STATES[status];
}

/**
 * The cursor of the jobs before a time: ids begin with the time of submission, so that the smallest id of that time separates
 * them. Cursors are ids as hexadecimal text.
 */
export function jobCursorAt(atMs: number): string {
  const id = `job_${Math.floor(atMs).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
  return Array.from(id, (character) => character.charCodeAt(0).toString(16)).join('');
}

/** The current situation of a job as a phrase. */
export function jobPhrase(job: JobRow, nowMs: number): string {
  if (job.status === 'running') return `runs at ${job.assignedProvider ?? 'a provider'}`;
  if (job.status === 'queued' || job.status === 'delayed') return waitPhrase(job, nowMs);
  if (job.error) return job.error.message;
  if (job.status === 'succeeded') return 'has its result';
  return job.status === 'expired' ? 'missed its deadline' : 'was cancelled';
}

function waitPhrase({ waitingFor, dueAt, status }: JobRow, nowMs: number): string {
  const reason = waitingFor
    ? (WAITS[waitingFor.code] ?? `waits after ${waitingFor.code}`)
    : status === 'delayed'
      ? 'waits for its due time'
      : 'waits for a worker';
  return dueAt === null || dueAt <= nowMs
    ? reason
    : `${reason} until ${nearTimeText(dueAt, nowMs)}`;
}
