// Handing in a job counts against the organisation's limits like an interactive request. What the job itself may do at
// the provider is asked when it runs.

import type { Principal } from '../admission/principal.ts';
import type { PermitAsk, RateLimiter } from '../admission/rate-limiter.ts';
import { overLimit } from './call-refusal.ts';
import { limitsOfCaller } from './call-terms.ts';

export type AdmitJob = (principal: Principal, requestId: string) => Promise<void>;

/** Rejects with RATE_LIMITED when the organisation has handed in all it may. */
export function createAdmitJob(limiter: RateLimiter): AdmitJob {
  return (principal, requestId) =>
    new Promise((resolve, reject) => {
      // The slots are for calls that are open; a job that waits holds none.
      const limits = limitsOfCaller(principal).filter(({ kind }) => kind === 'requests');
      const ask: PermitAsk = { id: requestId, limits, tokens: 0, expiresMs: 0 };
      limiter.take(ask, (decision) => {
        if (decision.isAllowed) resolve();
        else reject(overLimit(decision));
      });
    });
}
