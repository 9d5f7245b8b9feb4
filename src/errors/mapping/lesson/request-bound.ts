// Decides whether a refusal concerns the size or a feature of one request, so that the account still serves others: a long
// context without the plan for it, more output than the remaining credit pays for, more tokens than a whole minute allows,
// a scope that the key lacks. Such a refusal teaches other organisations nothing. A request that makes its provider quote one
// of these sentences prevents only what its own failure would have taught. Every pattern is bounded.

import type { HeaderFields } from '../reading/header-fields.ts';
import type { Reading } from '../reading/reading.ts';

/** A limit or a throttle that smaller or plainer requests do not meet. */
export function isLimitOfRequest({ windows, text }: Reading): boolean {
  return windows.some((name) => FEATURE_WINDOW.test(name)) || LIMIT_SENTENCE.test(text);
}

/** A 401 that refuses this operation to a valid key. */
export function isScopeOfRequest(sentence: string): boolean {
  return SCOPE_SENTENCE.test(sentence);
}

/** A throttle whose headers state that at least half of every limit is left: only a large request exceeds the rest. */
export function hasHeadroomLeft(headers: HeaderFields): boolean {
  let isStated = false;
  for (const [name, value] of headers) {
    if (!REMAINING.test(name)) continue;
    const limit = Number(headers.get(name.replace('remaining', 'limit')));
    if (!(limit > 0)) continue;
    if (!(Number(value) >= limit / 2)) return false;
    isStated = true;
  }
  return isStated;
}

/** `SearchGroundingRequestsPerDayPerProject`, `input-images`. */
const FEATURE_WINDOW = /grounding|long_?context|fast_?mode|input[-_]images/;

const LIMIT_SENTENCE =
  /\bcan only afford\b|\bor fewer max_tokens\b|\blong[- ]context\b|\b1m context\b|\bfast mode\b|\binput-images per\b/i;

/** OpenAI: a restricted key without the scope of an endpoint; Google: an operation that accepts no API key. */
const SCOPE_SENTENCE =
  /\bmissing scopes?\b|\binsufficient permissions for this operation\b|\bAPI keys are not supported by this API\b/i;

const REMAINING = /^(?:anthropic-ratelimit-(?!unified)|x-ratelimit-)[a-z-]{0,40}remaining/;
