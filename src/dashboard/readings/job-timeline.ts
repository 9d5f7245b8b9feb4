// A job's life as a timeline, computed from its events and attempts: waits with their reason, runs at a provider, the
// end. Pure.

import { DEFAULT_LOCALE, DEFAULT_TIME_ZONE } from '../../errors/locale.ts';
import { renderError } from '../../errors/render-error.ts';
import type { Job } from '../../jobs/model/job.ts';
import { isFinal } from '../../jobs/model/job-state.ts';
import type { JobAttempt, JobEvent } from '../../jobs/ports/job-history.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { JobEvent as EventView, JobRun } from '../api/jobs.ts';
import type { Timeline, TimelineSpan } from '../api/requests.ts';
import { waitWords } from './wait-words.ts';

export function jobTimeline(
  job: Job,
  events: readonly JobEvent[],
  attempts: readonly JobAttempt[],
): Timeline {
  const spans = [...waitSpans(job, events), ...attempts.map(runSpan), ...endSpan(job)];
  const costs = attempts.flatMap(({ costNanos }) => costNanos ?? []);
  return {
    startedAt: job.createdAt,
    endedAt: job.finishedAt ?? null,
    spans: spans.toSorted((one, other) => one.startedAt - other.startedAt),
    outcome: job.state,
    costUsd: costs.length === 0 ? null : nanosToUsd(costs.reduce((sum, cost) => sum + cost, 0)),
    inputTokens: null,
    outputTokens: null,
  };
}

const NOTHING = { provider: null, model: null, code: null, costUsd: null } as const;

/** A wait lasts from the event that began it to the next event that is not an output. */
function waitSpans(job: Job, events: readonly JobEvent[]): TimelineSpan[] {
  const moves = events.filter(({ type }) => type !== 'output');
  return moves.flatMap((event, index): TimelineSpan[] => {
    const label = WAITS[event.type];
    if (label === undefined) return [];
    const next = moves[index + 1];
    const isPresent = next === undefined && !isFinal(job.state);
    return [
      {
        ...NOTHING,
        kind: event.type === 'submitted' ? 'admission' : 'wait',
        label: waitLabel(label, event.data?.code),
        reason: null,
        startedAt: event.createdAt,
        endedAt: isPresent ? null : (next?.createdAt ?? event.createdAt),
        status: event.data?.code === undefined ? 'good' : 'degraded',
        code: event.data?.code ?? null,
      },
    ];
  });
}

const WAITS: Readonly<Partial<Record<JobEvent['type'], string>>> = {
  submitted: 'submitted, waits for the dispatcher',
  queued: 'waits for a free slot',
  delayed: 'waits for its due time',
  routed: 'routed, waits for a worker',
  retried: 'retried by an operator',
};

/** "waits for the provider's limit to reset"; an operator's retry keeps its own words. */
function waitLabel(label: string, code: string | undefined): string {
  return code === undefined || !label.startsWith('waits') ? label : waitWords(code);
}

function runSpan(attempt: JobAttempt): TimelineSpan {
  const { outcome, provider, model, errorCode, costNanos, startedAt, finishedAt } = attempt;
  return {
    kind: 'attempt',
    label: `run ${attempt.run}${provider === undefined ? '' : ` at ${provider}`}`,
    reason: errorCode ?? null,
    startedAt,
    endedAt: finishedAt ?? null,
    status: outcome === 'succeeded' ? 'good' : outcome === undefined ? 'unknown' : 'bad',
    provider: provider ?? null,
    model: model ?? null,
    code: outcome === 'succeeded' ? 'OK' : (errorCode ?? null),
    costUsd: costNanos === undefined ? null : nanosToUsd(costNanos),
  };
}

function endSpan(job: Job): TimelineSpan[] {
  const { finishedAt, state, error } = job;
  if (finishedAt === undefined) return [];
  return [
    {
      ...NOTHING,
      kind: 'end',
      label: state,
      reason: error?.code ?? null,
      startedAt: finishedAt,
      endedAt: finishedAt,
      status: state === 'succeeded' ? 'good' : 'bad',
      code: error?.code ?? null,
    },
  ];
}

export function toRunView(attempt: JobAttempt): JobRun {
  const { run, provider, model, workerId, outcome = 'running', errorCode, costNanos } = attempt;
  return {
    run,
    attempt: attempt.attempt,
    provider: provider ?? null,
    model: model ?? null,
    workerId: workerId ?? null,
    outcome,
    code: errorCode ?? null,
    costUsd: costNanos === undefined ? null : nanosToUsd(costNanos),
    startedAt: attempt.startedAt,
    finishedAt: attempt.finishedAt ?? null,
  };
}

/** Without the output that `output` events carry: it belongs to the caller. */
export function toEventView({ sequence, type, createdAt, data }: JobEvent, now: number): EventView {
  const { code = null, until = null } = data ?? {};
  return { sequence, type, createdAt, code, until, message: messageOf(type, code, until, now) };
}

function messageOf(
  type: JobEvent['type'],
  code: string | null,
  until: number | null,
  now: number,
): string {
  const wait = WAITS[type];
  const time = until === null ? '' : ` until ${new Date(until).toISOString().slice(11, 19)} UTC`;
  if (wait !== undefined) return `${waitLabel(wait, code ?? undefined)}${time}`;
  if (code === null) return type === 'output' ? 'output received' : type;
  const reader = { locale: DEFAULT_LOCALE, timeZone: DEFAULT_TIME_ZONE, now, background: true };
  return `${type}${time}: ${renderError(code, {}, reader)}`;
}
