// What one attempt used and cost: the record that is journalled before the caller has its answer and
// stored once. The line is a JSON array with a version in front, half as long as an object and as fast to
// write as JSON gets; it is our own journal's form and no public one. Decoding trusts nothing, because a
// journal may end in a torn line or come from an older version: what is not a record is `undefined`.

import type { Usage } from '../../kernel/usage.ts';

export type UsageRecord = Usage & {
  /** Names the attempt for ever: delivered twice, it is stored once. See `usageRecordId`. */
  readonly id: string;
  readonly requestId: string;
  readonly attempt: number;
  readonly organizationId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
  readonly provider: string;
  readonly model: string;
  readonly costNanos: number;
  readonly category: string | undefined;
  readonly latencyMs: number;
  readonly status: string;
  readonly streamed: boolean;
  /** True when the provider did not say what it counted. */
  readonly estimated: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The month whose budget it counts against, as its reservation said; absent: the one it was made in, in UTC. */
  readonly budgetMonth?: number | undefined;
};

/** The status of an attempt whose process died: it is charged what was reserved for it. */
export const LOST = 'LOST';

export function usageRecordId(requestId: string, attempt: number): string {
  return `${requestId}.${attempt}`;
}

/** One line without its line end; what is undefined becomes null. */
export function encodeUsageRecord(record: UsageRecord): string {
  return JSON.stringify([
    VERSION,
    record.id,
    record.requestId,
    record.attempt,
    record.organizationId,
    record.keyId,
    record.userId,
    record.provider,
    record.model,
    record.inputTokens,
    record.outputTokens,
    record.cacheReadTokens,
    record.cacheWriteTokens,
    record.cacheWrite1hTokens,
    record.reasoningTokens,
    record.costNanos,
    record.category,
    record.latencyMs,
    record.status,
    record.streamed ? 1 : 0,
    record.estimated ? 1 : 0,
    record.createdAt,
    record.budgetMonth,
  ]);
}

export function decodeUsageRecord(line: string): UsageRecord | undefined {
  try {
    const values: unknown = JSON.parse(line);
    if (!Array.isArray(values) || values[0] !== VERSION) return undefined;
    if (values.length !== VALUES && values.length !== VALUES_BEFORE_BUDGETS) return undefined;
    return recordOf(values);
  } catch {
    return undefined;
  }
}

const VERSION = 1;
const VALUES = 23;
const VALUES_BEFORE_BUDGETS = 22;

/** Throws at the first value of the wrong kind; the caller turns that into `undefined`. */
function recordOf(values: readonly unknown[]): UsageRecord {
  return {
    id: text(values[1]),
    requestId: text(values[2]),
    attempt: count(values[3]),
    organizationId: text(values[4]),
    keyId: text(values[5]),
    userId: optionalText(values[6]),
    provider: text(values[7]),
    model: text(values[8]),
    inputTokens: count(values[9]),
    outputTokens: count(values[10]),
    cacheReadTokens: count(values[11]),
    cacheWriteTokens: count(values[12]),
    cacheWrite1hTokens: count(values[13]),
    reasoningTokens: count(values[14]),
    costNanos: count(values[15]),
    category: optionalText(values[16]),
    latencyMs: count(values[17]),
    status: text(values[18]),
    streamed: flag(values[19]),
    estimated: flag(values[20]),
    createdAt: count(values[21]),
    ...(values[22] == null ? {} : { budgetMonth: count(values[22]) }),
  };
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

function optionalText(value: unknown): string | undefined {
  return value === null ? undefined : text(value);
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new TypeError('not a count');
  return value;
}

function flag(value: unknown): boolean {
  if (value !== 0 && value !== 1) throw new TypeError('not a flag');
  return value === 1;
}
