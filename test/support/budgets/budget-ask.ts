// A request for a reservation and its owner, with default values for a test.

import type {
  BudgetDecision,
  BudgetLedger,
  BudgetOwner,
  ReservationRequest,
} from '../../../src/metering/budgets/budget-ledger.ts';
import type { UsageRecord } from '../../../src/metering/usage/usage-record.ts';
import { usageRecord } from './usage-record.ts';

export function budgetOwner(given: Partial<BudgetOwner> = {}): BudgetOwner {
  return {
    organizationId: 'acme',
    keyId: 'key_1',
    timeZone: 'UTC',
    organizationLimitNanos: 100,
    keyLimitNanos: undefined,
    userLimitNanos: undefined,
    ...given,
  };
}

export type AskOptions = {
  readonly owner?: BudgetOwner;
  readonly worstNanos?: number;
  readonly expiresAt?: number;
  readonly patienceMs?: number;
  readonly userId?: string;
};

export function reservationRequest(id: string, given: AskOptions = {}): ReservationRequest {
  const { owner = budgetOwner(), userId } = given;
  return {
    attempt: {
      id,
      requestId: `req_${id}`,
      attempt: 1,
      organizationId: owner.organizationId,
      keyId: owner.keyId,
      userId,
      category: undefined,
      provider: 'openai',
      model: 'gpt-5',
      streamed: false,
    },
    owner,
    worstNanos: given.worstNanos ?? 10,
    expiresAt: given.expiresAt ?? Date.UTC(2027, 0),
    patienceMs: given.patienceMs ?? 0,
  };
}

export function decided(ledger: BudgetLedger, ask: ReservationRequest): Promise<BudgetDecision> {
  return new Promise((resolve) => void ledger.reserve(ask, resolve));
}

/** The usage record of the request's attempt. */
export function usageOf(ask: ReservationRequest, costNanos: number, month: number): UsageRecord {
  const { attempt } = ask;
  return usageRecord(attempt.id, { ...attempt, costNanos, budgetMonth: month });
}
