// The tokens and the cost of one attempt. The record is in the journal before the caller gets its answer, and in the store
// once. Its journal line is a JSON array with a version first: half as long as an object. A journal may end in a torn line
// or come from another version, so a line that is not a record decodes to `undefined`.

import { RecordLayout } from '../../kernel/record-layout.ts';
import { addUsageFields, USAGE_FIELDS } from '../../kernel/stored-fields.ts';
import type { Usage } from '../../kernel/usage.ts';

export type UsageRecord = Usage & {
  /** Identifies the attempt, so that a record delivered twice is stored once. See `usageRecordId`. */
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
  /** True if the provider reported no usage. */
  readonly estimated: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The month that the cost is posted to: the reservation's; if absent, the month of `createdAt` in UTC. */
  readonly budgetMonth?: number | undefined;
  /** From the attempt's start to the first content of its stream; absent for unary calls and without content. */
  readonly firstContentMs?: number | undefined;
};

/** The status of an attempt after its process died: its cost is estimated as the whole reservation. */
export const LOST = 'LOST';

/** Joined, because a template makes a string of two parts, which JSON.stringify takes twice as long for. */
export function usageRecordId(requestId: string, attempt: number): string {
  return [requestId, attempt].join('.');
}

const LAYOUT = new RecordLayout<UsageRecord>(USAGE_FIELDS, addUsageFields);

/** One line without its line end. */
export function encodeUsageRecord(record: UsageRecord): string {
  return JSON.stringify(LAYOUT.values(record, [VERSION]));
}

export function decodeUsageRecord(line: string): UsageRecord | undefined {
  try {
    const values: unknown = JSON.parse(line);
    if (!Array.isArray(values) || values[0] !== VERSION) return undefined;
    return LAYOUT.parse(values.slice(1));
  } catch {
    return undefined;
  }
}

const VERSION = 1;
