// How many tokens a request will probably count against a rate limit: reserved before the call, settled after it. The
// input is estimated from its bytes; of the stated maximum of output only a part is believed, because most requests
// state far more than they use, and an honest small limit would then refuse everything.

import { estimateTokens } from '../../metering/usage/token-estimate.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { CallPlan } from './plan-call.ts';

const LIKELY_OUTPUT = 1024;
const MAX_BELIEVED_OUTPUT = 4096;

export function likelyTokens({ body, stated, charge }: CallPlan, limits: readonly Limit[]): number {
  if (charge === 'nothing') return 0;
  const input = estimateTokens(body.length);
  const stateable = Math.min(stated.maxOutputTokens ?? LIKELY_OUTPUT, MAX_BELIEVED_OUTPUT);
  const output = charge === 'input' ? 0 : stateable;
  // A request whose input fits the whole limit must not be refused for ever because of a guess.
  return Math.min(input + output, Math.max(input, smallestTokenLimit(limits)));
}

function smallestTokenLimit(limits: readonly Limit[]): number {
  return limits.reduce(
    (least, { kind, max }) =>
      kind === 'tokens' || kind === 'tokens_per_day' ? Math.min(least, max) : least,
    Number.POSITIVE_INFINITY,
  );
}
