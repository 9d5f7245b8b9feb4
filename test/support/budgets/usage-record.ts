// A usage record with default values for a test.

import type { UsageRecord } from '../../../src/metering/usage/usage-record.ts';

export function usageRecord(id: string, given: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id,
    requestId: `req_${id}`,
    attempt: 1,
    organizationId: 'acme',
    keyId: 'key_1',
    userId: undefined,
    provider: 'openai',
    model: 'gpt-5',
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
    costNanos: 1,
    category: undefined,
    latencyMs: 1,
    status: 'OK',
    streamed: false,
    estimated: false,
    createdAt: Date.UTC(2026, 0, 15, 12),
    ...given,
  };
}
