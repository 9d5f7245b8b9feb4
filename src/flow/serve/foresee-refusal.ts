// Foresees that a request will be refused, before its large body is read: the caller's budget is used up, or a rate limit
// of its own is reached. Reading the body would cost memory and bandwidth for a certain refusal. Small bodies are not
// checked: they are read faster than a store answers, and then refused in the documented order of decisions.
//
// A verdict is kept for a second per caller, so that a caller of many large requests costs one lookup a second. While a
// store is slow or unavailable nothing is foreseen and the body is read.

import type { Principal } from '../../admission/principal.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { BudgetLedger, BudgetScopeKind } from '../../metering/budgets/budget-ledger.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';
import { budgetRefusal, overLimit } from '../call/call-refusal.ts';
import { type CallTerms, limitsOfCaller } from '../call/call-terms.ts';

export type ForeseeParts = {
  readonly limiter: Pick<RateLimiter, 'look'>;
  readonly ledger: Pick<BudgetLedger, 'status'>;
  readonly terms: Pick<CallTerms, 'budgetOf'>;
  readonly clock: Clock;
};

/** The refusal that awaits a request of this caller; undefined if none is foreseen. Never rejects. */
export type ForeseeRefusal = (
  principal: Principal,
  isFree: boolean,
) => Promise<SpillwayError | undefined>;

const KEPT_MS = 1000;
const PATIENCE_MS = 1000;

type Kept = { readonly untilMs: number; readonly verdict: Promise<SpillwayError | undefined> };

export function createForeseeRefusal(parts: ForeseeParts): ForeseeRefusal {
  const { clock } = parts;
  const paid = new WeakMap<Principal, Kept>();
  const free = new WeakMap<Principal, Kept>();
  return (principal, isFree) => {
    const kept = isFree ? free : paid;
    const known = kept.get(principal);
    if (known && clock.monotonic() < known.untilMs) return known.verdict;
    const verdict = Promise.race([look(parts, principal, isFree), sleep(clock, PATIENCE_MS)]).then(
      (error) => error ?? undefined,
      () => undefined,
    );
    kept.set(principal, { untilMs: clock.monotonic() + KEPT_MS, verdict });
    return verdict;
  };
}

async function look(
  parts: ForeseeParts,
  principal: Principal,
  isFree: boolean,
): Promise<SpillwayError | undefined> {
  const limited = await lookAtLimits(parts, principal);
  if (limited || isFree) return limited;
  return (
    (await lookAtBudget(parts, principal, 'organization')) ??
    (await lookAtBudget(parts, principal, 'key'))
  );
}

async function lookAtLimits(
  { limiter, clock }: ForeseeParts,
  principal: Principal,
): Promise<SpillwayError | undefined> {
  const standings = await limiter.look(limitsOfCaller(principal));
  const binding = standings
    .filter(({ remaining }) => remaining <= 0)
    .reduce<(typeof standings)[number] | undefined>(
      (latest, each) => (latest && latest.resetAt >= each.resetAt ? latest : each),
      undefined,
    );
  if (!binding) return undefined;
  const retryAfterMs = Math.max(1, Math.ceil(binding.resetAt - clock.now()));
  return overLimit({ isAllowed: false, binding, standings, retryAfterMs });
}

async function lookAtBudget(
  { ledger, terms }: ForeseeParts,
  principal: Principal,
  scope: BudgetScopeKind,
): Promise<SpillwayError | undefined> {
  const status = await ledger.status(terms.budgetOf(principal), scope);
  if (!status || status.spentNanos < status.limitNanos) return undefined;
  return budgetRefusal({ kind: 'exceeded', scope, ...status }, 0);
}
