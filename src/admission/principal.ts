// The caller of a request as the hot path needs it: built once from a key and its organisation, then cached and frozen.
// A change takes effect when the cache drops the principal; expiry is checked at every use.

import type { KeyScope } from './key-scope.ts';
import type { KeyWithOrganization } from './key-store.ts';

export type Principal = {
  readonly organizationId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<KeyScope>;
  readonly diagnostics: boolean;
  readonly locale: string | undefined;
  readonly timeZone: string;
  readonly messages: Readonly<Record<string, string>>;
  readonly allowStale: boolean;
  readonly allowPromptPreview: boolean;
  readonly expiresAt: number | undefined;
  /** Undefined for a call whose request was already counted: the reply of a chat request. */
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  readonly tokensPerDay: number | undefined;
  readonly maxConcurrent: number | undefined;
  readonly monthlyBudgetNanos: number;
  /** The monthly budget of each user of the organisation; undefined: users have no budget of their own. */
  readonly userMonthlyBudgetNanos: number | undefined;
  /** The key's own limits, in addition to the organisation's. */
  readonly keyRequestsPerMinute: number | undefined;
  readonly keyMonthlyBudgetNanos: number | undefined;
  readonly models: ReadonlySet<string> | undefined;
};

/** Undefined for a revoked key. An expired key has a principal: see `isExpired`. */
export function toPrincipal({ key, organization }: KeyWithOrganization): Principal | undefined {
  if (key.revokedAt !== undefined) return undefined;
  return Object.freeze({
    organizationId: organization.id,
    keyId: key.id,
    scopes: new Set(key.scopes),
    diagnostics: key.diagnostics,
    locale: organization.locale,
    timeZone: organization.timeZone,
    messages: organization.messages,
    allowStale: organization.allowStale,
    allowPromptPreview: organization.allowPromptPreview,
    expiresAt: key.expiresAt,
    requestsPerMinute: organization.requestsPerMinute,
    tokensPerMinute: organization.tokensPerMinute,
    tokensPerDay: organization.tokensPerDay,
    maxConcurrent: organization.maxConcurrent,
    monthlyBudgetNanos: organization.monthlyBudgetNanos,
    userMonthlyBudgetNanos: organization.userMonthlyBudgetNanos,
    keyRequestsPerMinute: key.requestsPerMinute,
    keyMonthlyBudgetNanos: key.monthlyBudgetNanos,
    models: key.models && new Set(key.models),
  });
}

export function isExpired(principal: Principal, now: number): boolean {
  return principal.expiresAt !== undefined && now >= principal.expiresAt;
}
