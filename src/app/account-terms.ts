// The rate limits of each provider account, from the configuration.

import type { AccountConfig, Config, ProviderConfig } from '../config/config.ts';
import { type AccountTerms, joinTerms, type Terms } from '../flow/call/call-terms.ts';
import type { Limit } from '../resilience/rate-limiter.ts';

const DAY_MS = 86_400_000;
const NO_TERMS = joinTerms([]);

export function createAccountTerms(providers: Config['providers']): AccountTerms {
  const known = new Map<string, Map<string, Terms>>();
  for (const provider of Object.values(providers)) {
    known.set(
      provider.name,
      new Map(provider.accounts.map((account) => [account.name, termsOf(provider, account)])),
    );
  }
  return ({ provider, account }) => known.get(provider)?.get(account) ?? NO_TERMS;
}

function termsOf(provider: ProviderConfig, account: AccountConfig): Terms {
  const windowMs = provider.windowMs + provider.limitGuardMs;
  const basis = { tier: 'provider', subject: subjectOf(provider, account) } as const;
  const limits: Limit[] = [
    { ...basis, kind: 'requests', max: account.requestsPerMinute, windowMs },
  ];
  const { tokensPerMinute, tokensPerDay } = account;
  if (tokensPerMinute !== undefined)
    limits.push({ ...basis, kind: 'tokens', max: tokensPerMinute, windowMs });
  if (tokensPerDay !== undefined)
    limits.push({ ...basis, kind: 'tokens_per_day', max: tokensPerDay, windowMs: DAY_MS });
  return joinTerms(limits.map((limit) => Object.freeze(limit)));
}

/** The account `default` has the provider's name in Redis, where operators look it up; other accounts add their own. */
export function subjectOf({ name }: ProviderConfig, account: AccountConfig): string {
  return account.name === 'default' ? name : `${name}:${account.name}`;
}
