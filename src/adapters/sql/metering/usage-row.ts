// A usage record as a row and back, the same on both stores.

import type { Insertable, Selectable } from 'kysely';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { UsageRecordsTable } from '../schema.ts';
import { fromBoolean, toBoolean, toNumber } from '../sql-dialect.ts';

export function toUsageRow(record: UsageRecord): Insertable<UsageRecordsTable> {
  return {
    id: record.id,
    request_id: record.requestId,
    attempt: record.attempt,
    organization_id: record.organizationId,
    key_id: record.keyId,
    user_id: record.userId ?? null,
    provider: record.provider,
    model: record.model,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    cache_read_tokens: record.cacheReadTokens,
    cache_write_tokens: record.cacheWriteTokens,
    cache_write_1h_tokens: record.cacheWrite1hTokens,
    reasoning_tokens: record.reasoningTokens,
    cost_nanos: record.costNanos,
    category: record.category ?? null,
    // Measured intervals have fractions; the column does not.
    latency_ms: Math.round(record.latencyMs),
    status: record.status,
    streamed: fromBoolean(record.streamed),
    estimated: fromBoolean(record.estimated),
    created_at: record.createdAt,
    budget_month: record.budgetMonth ?? null,
  };
}

export function toUsageRecord(row: Selectable<UsageRecordsTable>): UsageRecord {
  return {
    id: row.id,
    requestId: row.request_id,
    attempt: toNumber(row.attempt),
    organizationId: row.organization_id,
    keyId: row.key_id,
    userId: row.user_id ?? undefined,
    provider: row.provider,
    model: row.model,
    inputTokens: toNumber(row.input_tokens),
    outputTokens: toNumber(row.output_tokens),
    cacheReadTokens: toNumber(row.cache_read_tokens),
    cacheWriteTokens: toNumber(row.cache_write_tokens),
    cacheWrite1hTokens: toNumber(row.cache_write_1h_tokens),
    reasoningTokens: toNumber(row.reasoning_tokens),
    costNanos: toNumber(row.cost_nanos),
    category: row.category ?? undefined,
    latencyMs: toNumber(row.latency_ms),
    status: row.status,
    streamed: toBoolean(row.streamed),
    estimated: toBoolean(row.estimated),
    createdAt: toNumber(row.created_at),
    ...(row.budget_month === null ? {} : { budgetMonth: toNumber(row.budget_month) }),
  };
}
