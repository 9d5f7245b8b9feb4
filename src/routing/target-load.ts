// Counts the calls in flight per account, for the strategy least-loaded. The counts limit nothing and cover only
// this server; servers share only the rate limits.

import type { Target } from './target.ts';
import type { LoadOf } from './target-turns.ts';

export type TargetLoad = {
  readonly of: LoadOf;
  begun(target: Target): void;
  ended(target: Target): void;
};

export function createTargetLoad(): TargetLoad {
  const counts = new Map<string, Map<string, number>>();
  const of: LoadOf = ({ provider, account }) => counts.get(provider)?.get(account) ?? 0;

  function add(target: Target, change: number): void {
    const accounts = counts.get(target.provider) ?? new Map<string, number>();
    counts.set(target.provider, accounts);
    accounts.set(target.account, Math.max(0, of(target) + change));
  }

  return {
    of,
    begun: (target) => add(target, 1),
    ended: (target) => add(target, -1),
  };
}
