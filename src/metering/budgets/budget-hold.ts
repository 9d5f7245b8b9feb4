// What is held for one attempt, as it is written down before the attempt is made: enough to settle it without the
// process that made it. The line is a JSON array, told from a usage record's by the word it begins with (which
// whoever decodes has read). Decoding trusts nothing: what is not a hold is `undefined`.

import { NO_USAGE } from '../../kernel/usage.ts';
import { LOST, type UsageRecord } from '../usage/usage-record.ts';
import type { AccountName } from './budget-account.ts';
import type { HeldAttempt, HoldAsk } from './budget-ledger.ts';

export type BudgetHold = HeldAttempt & {
  readonly amountNanos: number;
  /** Whether the key's own budget and the user's are held too; the organisation's always is. */
  readonly holdsKey: boolean;
  readonly holdsUser: boolean;
  readonly month: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
};

export function newHold(
  { attempt, owner, worstNanos, expiresAt }: HoldAsk,
  month: number,
): BudgetHold {
  return {
    id: attempt.id,
    requestId: attempt.requestId,
    attempt: attempt.attempt,
    organizationId: attempt.organizationId,
    keyId: attempt.keyId,
    userId: attempt.userId,
    category: attempt.category,
    provider: attempt.provider,
    model: attempt.model,
    streamed: attempt.streamed,
    amountNanos: worstNanos,
    holdsKey: owner.keyLimitNanos !== undefined,
    holdsUser: owner.userLimitNanos !== undefined && attempt.userId !== undefined,
    month,
    expiresAt,
  };
}

/** The budgets it is held from. */
export function accountsOf(hold: BudgetHold): readonly AccountName[] {
  const { organizationId, month, keyId, userId } = hold;
  const accounts: AccountName[] = [{ organizationId, kind: 'organization', scopeId: '', month }];
  if (hold.holdsKey) accounts.push({ organizationId, kind: 'key', scopeId: keyId, month });
  if (hold.holdsUser && userId !== undefined)
    accounts.push({ organizationId, kind: 'user', scopeId: userId, month });
  return accounts;
}

/** The record of an attempt that nobody told the end of: it may have cost all that was held. */
export function lostRecord(hold: BudgetHold, at: number): UsageRecord {
  return {
    ...NO_USAGE,
    id: hold.id,
    requestId: hold.requestId,
    attempt: hold.attempt,
    organizationId: hold.organizationId,
    keyId: hold.keyId,
    userId: hold.userId,
    category: hold.category,
    provider: hold.provider,
    model: hold.model,
    streamed: hold.streamed,
    costNanos: hold.amountNanos,
    latencyMs: 0,
    status: LOST,
    estimated: true,
    createdAt: at,
    budgetMonth: hold.month,
  };
}

export function encodeBudgetHold(word: string, hold: BudgetHold): string {
  return JSON.stringify([
    word,
    hold.id,
    hold.requestId,
    hold.attempt,
    hold.organizationId,
    hold.keyId,
    hold.userId,
    hold.category,
    hold.provider,
    hold.model,
    hold.streamed,
    hold.amountNanos,
    hold.holdsKey,
    hold.holdsUser,
    hold.month,
    hold.expiresAt,
  ]);
}

export function decodeBudgetHold(values: readonly unknown[]): BudgetHold | undefined {
  const [, id, requestId, attempt, organizationId, keyId, userId, category, ...rest] = values;
  const [provider, model, streamed, amountNanos, holdsKey, holdsUser, month, expiresAt] = rest;
  if (rest.length !== 8) return undefined;
  if (!isText(id) || !isText(requestId) || !isText(organizationId) || !isText(keyId))
    return undefined;
  if (!isText(provider) || !isText(model) || !isLabel(userId) || !isLabel(category))
    return undefined;
  if (!isCount(attempt) || !isCount(amountNanos) || !isCount(month) || !isCount(expiresAt))
    return undefined;
  return {
    id,
    requestId,
    attempt,
    organizationId,
    keyId,
    userId: userId ?? undefined,
    category: category ?? undefined,
    provider,
    model,
    streamed: streamed === true,
    amountNanos,
    holdsKey: holdsKey === true,
    holdsUser: holdsUser === true,
    month,
    expiresAt,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isLabel(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
