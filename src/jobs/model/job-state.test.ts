import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { JobMove } from '../ports/job-store.ts';
import { applyMove } from './apply-move.ts';
import type { Job } from './job.ts';
import * as moves from './job-moves.ts';
import { canMove, isFinal, isWaiting, JOB_STATES, JOB_TRANSITIONS, pathTo } from './job-state.ts';

const VERDICT = { code: 'INTERNAL', params: {}, retryable: false } as const;
const RESULT = {
  provider: 'p',
  model: 'm',
  output: '',
  response: null,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
  },
  costNanos: 0,
};

const MOVES: Readonly<Record<string, (job: Job, at: number) => JobMove>> = {
  routeNow: (job, at) => moves.routed(job, { queue: 'p', provider: 'p' }, at),
  routeLater: (job, at) => moves.routed(job, { queue: 'p', provider: 'p', runAt: at + 5 }, at),
  start: (job, at) => moves.started(job, { workerId: 'w', leaseMs: 10 }, at),
  succeed: (job, at) => moves.succeeded(job, RESULT, at),
  throttle: (job, at) =>
    moves.delayed(job, { until: at + 9, code: 'RATE_LIMITED', costsAttempt: false }, at),
  retryLater: (job, at) =>
    moves.delayed(job, { until: at + 9, code: 'INTERNAL', costsAttempt: true }, at),
  lose: (job, at) => moves.requeued(job, 'lost', at),
  giveBack: (job, at) => moves.requeued(job, 'returned', at),
  fail: (job, at) => moves.failed(job, { verdict: VERDICT }, at),
  cancel: moves.cancelled,
  expire: moves.expired,
  retryDeadLetter: (job, at) => moves.retried(job, 'raw', at),
};

describe('the states of a job', () => {
  it('match the diagram', () => {
    assert.deepEqual(JOB_TRANSITIONS.failed, ['queued']);
    for (const state of ['succeeded', 'cancelled', 'expired'] as const)
      assert.deepEqual(JOB_TRANSITIONS[state], []);
    assert.equal(canMove('delayed', 'running'), false);
    assert.deepEqual(pathTo('delayed', 'running'), ['queued', 'running']);
  });

  it('are all reachable, and a final state is reachable from each', () => {
    for (const state of JOB_STATES) {
      assert.ok(reachable('queued').has(state));
      assert.ok([...reachable(state)].some(isFinal));
    }
  });

  it('are each waiting, running or final', () => {
    for (const state of JOB_STATES)
      assert.equal(
        [isWaiting(state), state === 'running', isFinal(state)].filter(Boolean).length,
        1,
      );
  });

  it('keep their invariants along any sequence of moves', () => {
    const steps = fc.array(fc.constantFrom(...Object.keys(MOVES)), { maxLength: 60 });
    fc.assert(fc.property(steps, walk));
  });
});

function reachable(from: Job['state']): ReadonlySet<Job['state']> {
  const seen = new Set([from]);
  for (const state of seen) for (const next of JOB_TRANSITIONS[state]) seen.add(next);
  return seen;
}

/** Tries each move; a move that is not allowed must throw and change nothing. */
function walk(names: readonly string[]): void {
  let job = freshJob();
  let openRun: number | undefined;
  for (const [index, name] of names.entries()) {
    const move = attempt(name, job, index);
    if (!move) continue;
    const next = applyMove(job, move);
    assert.equal(next.fence, job.fence + 1, 'every move moves the fence');
    assert.ok(
      pathTo(job.state, next.state) || (isWaiting(job.state) && isWaiting(next.state)),
      `${name} went from ${job.state} to ${next.state}`,
    );
    if (move.attemptStart) openRun = move.attemptStart.run;
    if (move.attemptEnd) {
      assert.equal(move.attemptEnd.run, openRun, 'an attempt ends that had begun');
      openRun = undefined;
    }
    job = next;
    assertSound(job, openRun);
  }
}

function assertSound(job: Job, openRun: number | undefined): void {
  assert.equal(job.state === 'running', openRun !== undefined, 'a run is open while running');
  assert.equal(job.state === 'running', job.leaseUntil !== undefined, 'a lease is for running');
  assert.equal(isFinal(job.state), job.finishedAt !== undefined, 'a final job has a finish time');
  assert.ok(job.attempts >= 0 && job.attempts <= job.run, 'attempts are among the runs');
  assert.ok(job.losses <= job.run);
}

function attempt(name: string, job: Job, at: number): JobMove | undefined {
  try {
    return MOVES[name]?.(job, at);
  } catch {
    return undefined;
  }
}

function freshJob(): Job {
  return {
    id: 'job_1',
    publicId: 'job_1',
    organizationId: 'acme',
    origin: 'http',
    state: 'queued',
    fence: 1,
    run: 0,
    attempts: 0,
    losses: 0,
    priority: 5,
    queue: 'raw',
    runAt: 0,
    publishedAt: 0,
    createdAt: 0,
    updatedAt: 0,
  };
}
