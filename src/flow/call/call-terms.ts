// The terms of a caller's use of an account: the limits that one decision covers, and the budget that pays. Computed once
// per key and account and cached, because every request needs them.

import type { Principal } from '../../admission/principal.ts';
import type { BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { Target } from '../../routing/target.ts';

/** Limits that one decision covers, all or nothing. */
export type Terms = { readonly limits: readonly Limit[]; readonly countsTokens: boolean };

/** The limits of a provider account. */
export type AccountTerms = (target: Pick<Target, 'provider' | 'account'>) => Terms;

export type CallTerms = {
  /** For the first attempt of a request: the caller's limits and the account's in one decision. */
  forRequest(principal: Principal, target: Target): Terms;
  /** For an attempt that counts against the account only: a retry, a job's run. */
  forAccount: AccountTerms;
  budgetOf(principal: Principal): BudgetOwner;
};

export function createCallTerms(forAccount: AccountTerms, minuteMs = 60_000): CallTerms {
  const ofCallers = new WeakMap<Principal, CallerTerms>();

  function callerTerms(principal: Principal): CallerTerms {
    const known = ofCallers.get(principal);
    if (known) return known;
    const made = { ...termsOfCaller(principal, minuteMs), withAccount: new Map<Terms, Terms>() };
    ofCallers.set(principal, made);
    return made;
  }

  return {
    forRequest(principal, target) {
      const caller = callerTerms(principal);
      const account = forAccount(target);
      const known = caller.withAccount.get(account);
      if (known) return known;
      const joined = joinTerms(caller.limits, account.limits);
      caller.withAccount.set(account, joined);
      return joined;
    },
    forAccount,
    budgetOf: (principal) => callerTerms(principal).budget,
  };
}

type CallerTerms = {
  readonly limits: readonly Limit[];
  readonly budget: BudgetOwner;
  readonly withAccount: Map<Terms, Terms>;
};

export function joinTerms(...parts: readonly (readonly Limit[])[]): Terms {
  const limits = Object.freeze(parts.flat());
  const countsTokens = limits.some(({ kind }) => kind === 'tokens' || kind === 'tokens_per_day');
  return Object.freeze({ limits, countsTokens });
}

function termsOfCaller(
  principal: Principal,
  minuteMs: number,
): Pick<CallerTerms, 'limits' | 'budget'> {
  return {
    limits: limitsOfCaller(principal, minuteMs),
    budget: Object.freeze({
      organizationId: principal.organizationId,
      keyId: principal.keyId,
      timeZone: principal.timeZone,
      organizationLimitNanos: principal.monthlyBudgetNanos,
      keyLimitNanos: principal.keyMonthlyBudgetNanos,
      userLimitNanos: principal.userMonthlyBudgetNanos,
    }),
  };
}

/** The organisation's own limits come first: callers get their standing in response headers. */
export function limitsOfCaller(principal: Principal, minuteMs = 60_000): readonly Limit[] {
  const tier = 'organization';
  const subject = principal.organizationId;
  const limits: Limit[] = [];
  const { requestsPerMinute, tokensPerMinute, tokensPerDay, maxConcurrent } = principal;
  const { keyRequestsPerMinute } = principal;
  if (requestsPerMinute !== undefined)
    limits.push({ tier, subject, kind: 'requests', max: requestsPerMinute, windowMs: minuteMs });
  if (tokensPerMinute !== undefined)
    limits.push({ tier, subject, kind: 'tokens', max: tokensPerMinute, windowMs: minuteMs });
  if (tokensPerDay !== undefined)
    limits.push({ tier, subject, kind: 'tokens_per_day', max: tokensPerDay, windowMs: DAY_MS });
  if (maxConcurrent !== undefined)
    limits.push({ tier, subject, kind: 'concurrent', max: maxConcurrent, windowMs: 0 });
  if (keyRequestsPerMinute !== undefined)
    limits.push({
      tier: 'key',
      subject: principal.keyId,
      kind: 'requests',
      max: keyRequestsPerMinute,
      windowMs: minuteMs,
    });
  return limits.map((limit) => Object.freeze(limit));
}

const DAY_MS = 86_400_000;
