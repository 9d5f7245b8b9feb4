// Asks the accounts of a provider for a permit, each through its own pacer. Any account may have a free slot; only the
// last one asked gives a due time. It is chosen in proportion to the accounts' limits, so that the due times of all
// accounts together return jobs at the sum of their limits, and free slots are taken from all accounts.

import type { Limit } from '../../resilience/rate-limiter.ts';
import { WeightedTurns } from '../../routing/weighted-turns.ts';
import { Pacer, type PacerAnswer, type PacerParts, type PacerRequest } from './pacer.ts';

export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

type PacedAccount = AccountLimits & { readonly pacer: Pacer };

/** Undefined for a provider without an account. */
export type AskAccounts = (
  provider: string,
  requestOf: (limits: readonly Limit[]) => PacerRequest,
  isUsable?: (account: string) => boolean,
) => Promise<{ readonly account: string; readonly answer: PacerAnswer } | undefined>;

export function createAccountPacers(
  parts: PacerParts,
  providers: ReadonlyMap<string, readonly AccountLimits[]>,
): AskAccounts {
  const withPacer = (each: AccountLimits) => ({ ...each, pacer: new Pacer(parts, each.limits) });
  const paced = new Map(
    [...providers].map(([name, accounts]) => [name, accounts.map(withPacer)] as const),
  );
  const turns = new WeightedTurns<PacedAccount>(({ limits }) => limits[0]?.max ?? 1);

  return async (provider, requestOf, isUsable = () => true) => {
    const all = paced.get(provider) ?? [];
    const usable = all.filter(({ account }) => isUsable(account));
    // If no account is usable, all are asked: the call waits for the account that is usable first.
    const among = usable.length === 0 ? all : usable;
    const [last] = turns.next(among);
    if (!last) return undefined;
    for (const each of among) {
      const { account, limits, pacer } = each;
      if (each === last) continue;
      const answer = await pacer.acquire({ ...requestOf(limits), patienceMs: undefined });
      if (answer.kind === 'allowed') return { account, answer };
    }
    const { account, limits, pacer } = last;
    return { account, answer: await pacer.acquire(requestOf(limits)) };
  };
}
