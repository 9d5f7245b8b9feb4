// Handing in a job counts against the organisation's limits like an interactive request, and a key that is bound to
// models hands in nothing for others. What the job itself may do at the provider is asked when it runs: its tokens are
// counted here by what is handed in, because what comes out is the provider's limit's affair. A job that is refused
// after all, or was there already, counts nothing.

import type { Principal } from '../../admission/principal.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import { estimateTokens } from '../../metering/usage/token-estimate.ts';
import type { PermitAsk, RateLimiter } from '../../resilience/rate-limiter.ts';
import { mayUse } from '../../routing/may-use.ts';
import { overLimit } from '../call/call-refusal.ts';
import { joinTerms, limitsOfCaller } from '../call/call-terms.ts';
import { type CandidateParts, candidatesFor } from './dispatch-candidates.ts';

export type HandedIn = {
  readonly principal: Principal;
  readonly requestId: string;
  readonly message: Pick<JobMessage, 'provider' | 'model' | 'prompt'> & {
    readonly request?: unknown;
  };
};

/** Rejects with RATE_LIMITED when the organisation has handed in all it may, else as `submit` does. */
export type AdmitJob = <T extends { readonly isNew: boolean }>(
  handedIn: HandedIn,
  submit: () => Promise<T>,
) => Promise<T>;

export type AdmitJobParts = {
  readonly limiter: RateLimiter;
  /** Who could take it. */
  readonly candidates: CandidateParts;
};

export function createAdmitJob({ limiter, candidates }: AdmitJobParts): AdmitJob {
  return async (handedIn, submit) => {
    await assertMayHandIn(candidates, handedIn);
    const ask = askFor(handedIn);
    await take(limiter, ask);
    try {
      const submitted = await submit();
      if (submitted.isNew) limiter.settle(ask, ask.tokens);
      else limiter.giveBack(ask);
      return submitted;
    } catch (thrown) {
      limiter.giveBack(ask);
      throw thrown;
    }
  };
}

/** Whoever the dispatcher will choose, the model that serves must be one of the key's. */
async function assertMayHandIn(parts: CandidateParts, { principal, message }: HandedIn) {
  const { models } = principal;
  if (!models) return;
  const { provider, model } = message;
  const candidates = await candidatesFor(parts, { origin: 'http', provider, model });
  const isAllowed = candidates.every((candidate) => {
    const target = { provider: candidate.provider.name, model: candidate.model };
    return mayUse(models, model ?? candidate.model, target);
  });
  if (!isAllowed) throw new SpillwayError('FORBIDDEN', 'the key may not use this model');
}

function askFor({ principal, requestId, message }: HandedIn): PermitAsk {
  // The slots are for calls that are open; a job that waits holds none.
  const { limits, countsTokens } = joinTerms(
    limitsOfCaller(principal).filter(({ kind }) => kind !== 'concurrent'),
  );
  const tokens = countsTokens ? handedInTokens(message) : 0;
  return { id: requestId, limits, tokens, expiresMs: SUBMITTING_MS };
}

function take(limiter: RateLimiter, ask: PermitAsk): Promise<void> {
  return new Promise((resolve, reject) =>
    limiter.take(ask, (decision) => {
      if (decision.isAllowed) resolve();
      else reject(overLimit(decision));
    }),
  );
}

function handedInTokens({ prompt = '', request }: HandedIn['message']): number {
  const asked = request === undefined ? '' : JSON.stringify(request);
  return estimateTokens(Buffer.byteLength(prompt) + Buffer.byteLength(asked));
}

/** Longer than a store takes to keep a job. */
const SUBMITTING_MS = 60_000;
