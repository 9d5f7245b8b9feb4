// A request's timeline from its usage records, which exist for successful attempts too, and from its failure record. An
// attempt's record has its end, its duration and, for a stream, the time to its first content; the time between two attempts
// is a wait. Pure.

import { nanosToUsd } from '../../kernel/money.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { RequestRecord } from '../../upstream/request-records.ts';
import type { RequestAttempt, Timeline, TimelineSpan } from '../api/requests.ts';

export function requestAttempts(
  records: readonly UsageRecord[],
  failure: RequestRecord | undefined,
): readonly RequestAttempt[] {
  const failed = new Map((failure?.attempts ?? []).map((attempt) => [attempt.number, attempt]));
  const numbers = new Set([...records.map(({ attempt }) => attempt), ...failed.keys()]);
  return [...numbers]
    .toSorted((one, other) => one - other)
    .map((number): RequestAttempt => {
      const known = failed.get(number);
      const record = records.find(({ attempt }) => attempt === number);
      const firstContent = definedFields({ firstContentMs: record?.firstContentMs });
      if (known)
        return {
          ...definedFields({ provider: known.provider, model: known.model, raw: known.raw }),
          ...definedFields({ status: known.raw?.status }),
          ...firstContent,
          id: known.id,
          number,
          startedAt: known.startedAt,
          endedAt: known.endedAt,
          code: known.code,
          reason: known.reason,
        };
      const endedAt = record?.createdAt ?? 0;
      return {
        id: record?.id ?? '',
        number,
        startedAt: endedAt - (record?.latencyMs ?? 0),
        endedAt,
        ...firstContent,
        ...definedFields({ provider: record?.provider, model: record?.model }),
        code: record?.status ?? 'OK',
        reason: '',
      };
    });
}

export function requestTimeline(
  attempts: readonly RequestAttempt[],
  records: readonly UsageRecord[],
  outcome: string | undefined,
): Timeline {
  const spans = attempts.flatMap((attempt, index) => [
    ...waitBefore(attempt, attempts[index - 1]),
    attemptSpan(attempt, records),
    ...firstContentOf(attempt),
  ]);
  const startedAt = attempts[0]?.startedAt ?? 0;
  const endedAt = attempts.at(-1)?.endedAt ?? startedAt;
  const last = attempts.at(-1);
  const code = outcome ?? last?.code ?? 'OK';
  return {
    startedAt,
    endedAt,
    spans: [
      instant('admission', 'admitted', startedAt, 'good', null),
      ...spans,
      instant('end', code === 'OK' ? 'answered' : 'failed', endedAt, statusOf(code), code),
    ],
    outcome: code,
    costUsd: records.length === 0 ? null : nanosToUsd(sumOf(records, 'costNanos')),
    inputTokens:
      records.length === 0
        ? null
        : sumOf(records, 'inputTokens') +
          sumOf(records, 'cacheReadTokens') +
          sumOf(records, 'cacheWriteTokens'),
    outputTokens: records.length === 0 ? null : sumOf(records, 'outputTokens'),
  };
}

/** A shorter gap is not a wait but work of the gateway. */
const MIN_WAIT_MS = 5;

function waitBefore(attempt: RequestAttempt, previous: RequestAttempt | undefined): TimelineSpan[] {
  if (!previous || attempt.startedAt - previous.endedAt < MIN_WAIT_MS) return [];
  return [
    {
      kind: 'wait',
      label: 'waits before the next attempt',
      reason: `after ${previous.code}`,
      startedAt: previous.endedAt,
      endedAt: attempt.startedAt,
      status: 'degraded',
      provider: null,
      model: null,
      code: null,
      costUsd: null,
    },
  ];
}

function attemptSpan(attempt: RequestAttempt, records: readonly UsageRecord[]): TimelineSpan {
  const { number, provider = null, model = null, code, reason } = attempt;
  const record = records.find((each) => each.attempt === number);
  return {
    kind: 'attempt',
    label: `attempt ${number}${provider === null ? '' : ` at ${provider}`}`,
    reason: reason === '' ? null : reason,
    startedAt: attempt.startedAt,
    endedAt: attempt.endedAt,
    status: statusOf(code),
    provider,
    model,
    code,
    costUsd: record ? nanosToUsd(record.costNanos) : null,
  };
}

function firstContentOf({ startedAt, endedAt, firstContentMs }: RequestAttempt): TimelineSpan[] {
  if (firstContentMs === undefined) return [];
  const at = Math.min(startedAt + firstContentMs, endedAt);
  return [instant('first-content', 'first content', at, 'good', null)];
}

function instant(
  kind: 'admission' | 'first-content' | 'end',
  label: string,
  at: number,
  status: TimelineSpan['status'],
  code: string | null,
): TimelineSpan {
  const where = { provider: null, model: null, costUsd: null };
  return { kind, label, reason: null, startedAt: at, endedAt: at, status, code, ...where };
}

function statusOf(code: string): TimelineSpan['status'] {
  if (code === 'OK') return 'good';
  return code === 'CLIENT_GONE' ? 'degraded' : 'bad';
}

type Summed = 'costNanos' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens';

function sumOf(records: readonly UsageRecord[], name: Summed): number {
  return records.reduce((sum, record) => sum + record[name], 0);
}

function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
