// The outcome of a load of jobs, from three sources: the store, the results queue, the truth log; Spillway's own
// metrics are not read. Every acknowledged job must have succeeded with one result (identical repetitions allowed),
// every answered call must be settled once, and the sums of money must agree.

import type { RowFinding } from '../chaos-row.ts';
import type { Dose } from '../faults/dose.ts';
import type { Call } from '../installation/provider.ts';
import type { StoredJob, StoredMoney } from '../installation/store-view.ts';
import type { ChaosJob, Load } from '../load.ts';
import { disagreements, isBillable } from './judge-money.ts';
import { limitViolations } from './limit-violations.ts';

export type Evidence = {
  readonly load: Load;
  readonly stored: readonly StoredJob[];
  readonly money: StoredMoney;
  readonly calls: readonly Call[];
  readonly results: ReadonlyMap<string, readonly string[]>;
  /** Whether each raw message's result must be on the results queue: false where the broker's data was deleted. */
  readonly areResultsPublished: boolean;
  /** Whether a job may also have ended as a dead letter after all its attempts. */
  readonly mayBeDeadLetters: boolean;
  readonly dose: Dose;
};

export function judgeJobs(evidence: Evidence): RowFinding {
  const { load, calls, dose } = evidence;
  const { perWindow, windowMs } = dose;
  const notes: string[] = [];
  const count = (what: string, found: readonly string[]): number => {
    if (found.length > 0)
      notes.push(`${found.length} ${what}, such as ${found.slice(0, 3).join(', ')}`);
    return found.length;
  };
  const { unfinished, buried, untold, contradicted, unsettled, oversettled } = inspect(evidence);
  if (evidence.mayBeDeadLetters) count('jobs are dead letters', buried);
  const lost =
    count('acknowledged jobs did not succeed', unfinished) +
    count('results were not published', untold) +
    count('calls were not settled', unsettled);
  const duplicatedEffects =
    count('jobs have two different results', contradicted) +
    count('jobs have more settlements than answered calls', oversettled) +
    count('sums of money disagree', disagreements(evidence.money));
  return {
    attempted: load.jobs.length,
    acknowledged: load.acknowledged.size,
    lost,
    duplicatedEffects,
    duplicatedCalls: Math.max(
      0,
      calls.filter(isBillable).length - evidence.stored.filter(isDone).length,
    ),
    limitViolations: limitViolations(
      calls.map(({ startedAt }) => startedAt),
      perWindow,
      windowMs,
    ),
    overspendNanos: 0,
    notes,
  };
}

function inspect(evidence: Evidence) {
  const { load, stored, calls, results, areResultsPublished, mayBeDeadLetters } = evidence;
  const jobs = new Map(stored.map((job) => [job.publicId, job]));
  const callsOf = Map.groupBy(calls.filter(isBillable), ({ bodyDigest }) => bodyDigest);
  const acknowledged = load.jobs.filter(({ id }) => load.acknowledged.has(id));
  const resultsOf = ({ id }: ChaosJob) => new Set(results.get(id));
  const answered = ({ digest }: ChaosJob) =>
    (callsOf.get(digest) ?? []).filter(({ outcome }) => outcome === 'ok').length;
  const settledOf = ({ id }: ChaosJob) => jobs.get(id)?.settled ?? 0;
  const accounted = ({ id }: ChaosJob) => jobs.get(id)?.records ?? 0;
  const describe = ({ id }: ChaosJob) => {
    const job = jobs.get(id);
    return `${id} (${job ? [job.state, job.errorCode].filter(Boolean).join(' ') : 'unknown'})`;
  };
  return {
    unfinished: acknowledged
      .filter(({ id }) => !hasEndedWell(jobs.get(id), mayBeDeadLetters))
      .map(describe),
    buried: acknowledged.filter(({ id }) => jobs.get(id)?.isDeadLetter === true).map(describe),
    untold: acknowledged
      .filter((job) => areResultsPublished && job.isRaw && resultsOf(job).size === 0)
      .map(describe),
    contradicted: load.jobs.filter((job) => resultsOf(job).size > 1).map(describe),
    unsettled: load.jobs.filter((job) => accounted(job) < answered(job)).map(describe),
    oversettled: load.jobs.filter((job) => settledOf(job) > answered(job)).map(describe),
  };
}

function isDone(job: StoredJob | undefined): boolean {
  return job?.state === 'succeeded' && job.hasResult;
}

function hasEndedWell(job: StoredJob | undefined, mayBeDeadLetter: boolean): boolean {
  return isDone(job) || (mayBeDeadLetter && job?.state === 'failed' && job.isDeadLetter);
}
