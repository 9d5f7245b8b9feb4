// The fields of the records that the journal and both SQL stores keep, in their stored order: the one list that a new
// field is added to, besides the migration that adds its column. Metering and the adapters check the list against the
// record's type; record-layout.ts checks their reading functions against the list.

export const USAGE_FIELDS = {
  id: 'text',
  requestId: 'text',
  attempt: 'count',
  organizationId: 'text',
  keyId: 'text',
  userId: 'optionalText',
  provider: 'text',
  model: 'text',
  inputTokens: 'count',
  outputTokens: 'count',
  cacheReadTokens: 'count',
  cacheWriteTokens: 'count',
  cacheWrite1hTokens: 'count',
  reasoningTokens: 'count',
  costNanos: 'count',
  category: 'optionalText',
  latencyMs: 'count',
  status: 'text',
  streamed: 'flag',
  estimated: 'flag',
  createdAt: 'count',
  budgetMonth: 'optionalCount',
  firstContentMs: 'optionalCount',
} as const;

export function addUsageFields(record: ValuesOf<typeof USAGE_FIELDS>, values: unknown[]): void {
  values.push(
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
    record.streamed,
    record.estimated,
    record.createdAt,
    record.budgetMonth,
    record.firstContentMs,
  );
}

export const RESERVATION_FIELDS = {
  id: 'text',
  requestId: 'text',
  attempt: 'count',
  organizationId: 'text',
  keyId: 'text',
  userId: 'optionalText',
  category: 'optionalText',
  provider: 'text',
  model: 'text',
  streamed: 'flag',
  amountNanos: 'count',
  reservesKey: 'flag',
  reservesUser: 'flag',
  month: 'count',
  expiresAt: 'count',
} as const;

export function addReservationFields(
  record: ValuesOf<typeof RESERVATION_FIELDS>,
  values: unknown[],
): void {
  values.push(
    record.id,
    record.requestId,
    record.attempt,
    record.organizationId,
    record.keyId,
    record.userId,
    record.category,
    record.provider,
    record.model,
    record.streamed,
    record.amountNanos,
    record.reservesKey,
    record.reservesUser,
    record.month,
    record.expiresAt,
  );
}

type ValuesOf<F> = { readonly [K in keyof F]?: unknown };
