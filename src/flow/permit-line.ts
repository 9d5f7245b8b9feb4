// Asking a limit on behalf of work that can wait. Who comes for the first time is given a moment of its own when there
// is no room, one interval after the one before it. Who comes back at its moment and is a little early, because others
// were late, waits just that little instead of going to the end of the line again. While the counts cannot be asked
// at all the work is paused: it is not put off, since nobody knows until when.

import type { Limit, PermitAsk, PermitDecision, RateLimiter } from '../admission/rate-limiter.ts';

export type LineAnswer =
  | { readonly kind: 'allowed'; readonly ask: PermitAsk }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'paused'; readonly afterMs: number }
  /** It is larger than the whole limit: waiting does not help. */
  | { readonly kind: 'never' };

export type LineQuestion = {
  readonly id: string;
  readonly limits: readonly Limit[];
  readonly tokens?: number;
  /** `newcomer`: wants a moment of its own; `returning`: had one; `present`: stays where it is and asks again. */
  readonly as: 'newcomer' | 'returning' | 'present';
};

/** How long an unsettled permit outlives the process that took it: longer than any call. */
const EXPIRES_MS = 900_000;
/** A wait as short as this is waited for at the head of the line. */
const NEAR_MS = 1000;
/** The counts are away, and nobody knows for how long. */
const PAUSE_MS = 1000;

export async function askInLine(
  limiter: Pick<RateLimiter, 'take'>,
  question: LineQuestion,
): Promise<LineAnswer> {
  const answer = await askOnce(limiter, question, question.as === 'newcomer');
  if (question.as !== 'returning' || answer.kind !== 'later' || answer.afterMs <= NEAR_MS)
    return answer;
  return askOnce(limiter, question, true);
}

async function askOnce(
  limiter: Pick<RateLimiter, 'take'>,
  { id, limits, tokens = 0 }: LineQuestion,
  wantsComeback: boolean,
): Promise<LineAnswer> {
  const ask = { id, limits, tokens, expiresMs: EXPIRES_MS, isBackground: true, wantsComeback };
  const decision = await decide(limiter, ask);
  if (decision.isAllowed) return { kind: 'allowed', ask };
  const { binding, comeBackMs, retryAfterMs } = decision;
  if (!binding) return { kind: 'paused', afterMs: retryAfterMs ?? PAUSE_MS };
  if (retryAfterMs === undefined) return { kind: 'never' };
  return { kind: 'later', afterMs: Math.max(1, comeBackMs ?? retryAfterMs) };
}

function decide(limiter: Pick<RateLimiter, 'take'>, ask: PermitAsk): Promise<PermitDecision> {
  return new Promise((resolve) => limiter.take(ask, resolve));
}
