// Every move a job can make, as a pure function from the job that was read to the move that will be written. Each checks
// the table of job-state.ts and throws for a transition that is not in it.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import { renderError } from '../../errors/render-error.ts';
import type { DeadLetter } from '../ports/dead-letter-store.ts';
import type { NewJobEvent } from '../ports/job-history.ts';
import type { AttemptEnd, JobChange, JobMove } from '../ports/job-store.ts';
import { applyMove } from './apply-move.ts';
import { HANDED_OVER, type Job, type JobResult } from './job.ts';
import { type JobState, pathTo } from './job-state.ts';

/** The dispatcher has chosen a provider: the job goes to that provider's queue, immediately or at `runAt`. */
export function routed(
  job: Job,
  route: {
    readonly queue: string;
    readonly provider: string;
    readonly model?: string | undefined;
    readonly runAt?: number | undefined;
    readonly waitCode?: ErrorCode | undefined;
    /** Whether the queue is shared with foreign workers. */
    readonly isHandedOver?: boolean;
  },
  at: number,
): JobMove {
  expect(job, 'queued', 'delayed');
  const { queue, provider, model, waitCode } = route;
  const lease = route.isHandedOver ? { leaseOwner: HANDED_OVER, leaseUntil: null } : {};
  const runAt = Math.max(at, route.runAt ?? at);
  const isLater = runAt > at;
  // A job that was delayed by a rate limit keeps its wait code until it starts: its worker paces such jobs.
  const hasWaited = job.state === 'delayed' && job.waitCode === 'RATE_LIMITED';
  const why = isLater ? waitCode : hasWaited ? job.waitCode : null;
  const change = { queue, provider, model, runAt, waitCode: why, ...lease };
  const wait = isLater ? delayEvent(runAt, waitCode) : undefined;
  const events: NewJobEvent[] = wait ? [{ type: 'routed' }, wait] : [{ type: 'routed' }];
  if (isLater && job.state === 'queued') return move(job, 'delayed', at, change, events);
  // Delayed to delayed, or queued to queued: only the queue changes, not the state.
  const to = isLater ? 'delayed' : 'queued';
  return describe(job, { to, at, change, events });
}

export function started(
  job: Job,
  claim: {
    readonly workerId: string;
    readonly leaseMs: number;
    /** The queue that its later pointers go to; its own by default. */
    readonly queue?: string | undefined;
  },
  at: number,
): JobMove {
  const { workerId, leaseMs, queue } = claim;
  const run = job.run + 1;
  const attempt = job.attempts + 1;
  const change: JobChange = {
    run,
    ...(queue && { queue }),
    attempts: attempt,
    waitCode: null,
    leaseOwner: workerId,
    leaseUntil: at + leaseMs,
    startedAt: job.startedAt ?? at,
  };
  const event: NewJobEvent = { type: 'running', data: { attempt } };
  return {
    ...move(job, 'running', at, change, [event]),
    attemptStart: { run, attempt, workerId, startedAt: at },
  };
}

export function succeeded(job: Job, result: JobResult, at: number): JobMove {
  const { provider, model, costNanos } = result;
  const change = { ...ended(at), provider, model };
  return {
    ...move(job, 'succeeded', at, change, [{ type: 'succeeded' }]),
    attemptEnd: { run: job.run, outcome: 'succeeded', costNanos, finishedAt: at },
    result,
  };
}

/** Back to waiting. A failure `costsAttempt`; a throttle does not. */
export function delayed(
  job: Job,
  wait: {
    readonly until: number;
    readonly code: ErrorCode;
    readonly costsAttempt: boolean;
    /** The queue it returns to; its own by default. */
    readonly queue?: string | undefined;
  },
  at: number,
): JobMove {
  const { until, code, queue } = wait;
  const attempts = job.state === 'running' && !wait.costsAttempt ? job.attempts - 1 : job.attempts;
  const change = { ...UNLEASED, ...(queue && { queue }), attempts, runAt: until, waitCode: code };
  const events = [delayEvent(until, code)];
  if (job.state === 'delayed') return describe(job, { to: 'delayed', at, change, events });
  const outcome = wait.costsAttempt ? 'failed' : 'delayed';
  return { ...move(job, 'delayed', at, change, events), ...attemptEnd(job, outcome, at, code) };
}

/** Its worker returned it (`returned`) or let its lease expire (`lost`); another worker may claim it. */
export function requeued(job: Job, why: 'returned' | 'lost', at: number): JobMove {
  expect(job, 'running');
  const losses = why === 'lost' ? job.losses + 1 : job.losses;
  const change = { ...UNLEASED, attempts: job.attempts - 1, losses, runAt: at };
  return { ...move(job, 'queued', at, change, [{ type: 'queued' }]), ...attemptEnd(job, why, at) };
}

export function failed(
  job: Job,
  { verdict, deadLetter }: { readonly verdict: Verdict; readonly deadLetter?: DeadLetter },
  at: number,
): JobMove {
  const { code } = verdict;
  return {
    ...move(job, 'failed', at, { ...ended(at), error: verdict }, [
      { type: 'failed', data: publicFailure(job, verdict, at) },
    ]),
    ...attemptEnd(job, 'failed', at, code),
    ...(deadLetter && { deadLetter }),
  };
}

export function cancelled(job: Job, at: number): JobMove {
  return {
    ...move(job, 'cancelled', at, ended(at), [{ type: 'cancelled' }]),
    ...attemptEnd(job, 'cancelled', at),
  };
}

export function expired(job: Job, at: number): JobMove {
  const error: Verdict = { code: 'NETWORK_TIMEOUT', params: { phase: 'total' }, retryable: false };
  return {
    ...move(job, 'expired', at, { ...ended(at), error }, [
      { type: 'expired', data: publicFailure(job, error, at) },
    ]),
    ...attemptEnd(job, 'expired', at),
  };
}

/** An operator retries a dead letter: the job starts over in the raw queue, with all its attempts. */
export function retried(job: Job, rawQueue: string, at: number): JobMove {
  expect(job, 'failed');
  const change: JobChange = {
    attempts: 0,
    losses: 0,
    error: null,
    finishedAt: null,
    queue: rawQueue,
    runAt: at,
  };
  return move(job, 'queued', at, change, [{ type: 'retried' }]);
}

const UNLEASED = { leaseOwner: null, leaseUntil: null } as const;

function ended(at: number): JobChange {
  return { ...UNLEASED, finishedAt: at, waitCode: null };
}

function attemptEnd(
  job: Job,
  outcome: AttemptEnd['outcome'],
  finishedAt: number,
  errorCode?: ErrorCode,
): { attemptEnd?: AttemptEnd } {
  if (job.state !== 'running') return {};
  return { attemptEnd: { run: job.run, outcome, errorCode, finishedAt } };
}

/** A failure as shown to the job's owner, in the language of the submission. */
function publicFailure(job: Job, { code, params }: Verdict, now: number): NewJobEvent['data'] {
  const { locale, timeZone } = job;
  const reader = { ...(locale && { locale }), ...(timeZone && { timeZone }), now };
  return { code, params, message: renderError(code, params, reader) };
}

function delayEvent(until: number, code: ErrorCode | undefined): NewJobEvent {
  return { type: 'delayed', data: { until, ...(code && { code }) } };
}

/** For moves that are narrower than the transition table. */
function expect(job: Job, ...states: readonly JobState[]): void {
  if (!states.includes(job.state))
    throw new Error(`this move does not apply to a job that is ${job.state}`);
}

function move(
  job: Job,
  to: JobState,
  at: number,
  change: JobChange,
  events: readonly NewJobEvent[],
): JobMove {
  const path = pathTo(job.state, to);
  if (!path) throw new Error(`a job cannot go from ${job.state} to ${to}`);
  const passed = path.slice(0, -1).map((type): NewJobEvent => ({ type }));
  return describe(job, { to, at, change, events: [...passed, ...events] });
}

function describe(job: Job, made: Pick<JobMove, 'to' | 'at' | 'change' | 'events'>): JobMove {
  return { jobId: job.id, fence: job.fence, moved: applyMove(job, made), ...made };
}
