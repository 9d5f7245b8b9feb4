// Estimates the tokens that a request will count against a rate limit: reserved before the call, settled after it. The
// input is estimated from its bytes. The stated output maximum is capped, because most requests state far more than they
// use, and a small limit would then refuse all of them.

import { estimateTokens } from '../../metering/usage/token-estimate.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { estimatedInputBytes } from './charge/input-bytes.ts';
import type { CallPlan } from './plan-call.ts';

const DEFAULT_OUTPUT_TOKENS = 1024;
const MAX_OUTPUT_TOKENS = 4096;

export function likelyTokens({ body, stated, charge }: CallPlan, limits: readonly Limit[]): number {
  if (charge === 'nothing') return 0;
  const input = estimateTokens(estimatedInputBytes(body, stated.references));
  const likely = Math.min(stated.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS);
  const output = charge === 'input' ? 0 : likely;
  // An estimate must not refuse a request forever when its input fits the limit; media may have any number of tokens.
  const text = estimateTokens(body.length - (stated.references.mediaBytes ?? 0));
  return Math.min(input + output, Math.max(text, smallestTokenLimit(limits)));
}

function smallestTokenLimit(limits: readonly Limit[]): number {
  return limits.reduce(
    (least, { kind, max }) =>
      kind === 'tokens' || kind === 'tokens_per_day' ? Math.min(least, max) : least,
    Number.POSITIVE_INFINITY,
  );
}
