// The states of a chat request when a model cannot serve, in their order. Data: flow/chat walks along them, and the
// documents list them.

import type { SpillwayError } from '../errors/spillway-error.ts';

/** The sources of a decision; each one follows when the one before it has none. */
export const DECISION_CHAIN = ['ai', 'cache', 'rules'] as const;

/** The reply: the model with its fallbacks, a stale answer where allowed, a job where consented, the error. */
export const REPLY_CHAIN = ['model', 'stale', 'job', 'error'] as const;

/**
 * Whether a request goes on without the deciding model. A limit of the organisation itself, a spent budget and a bound of
 * this gateway would refuse the reply as well.
 */
export function isDecidedElsewhere({ code, params }: SpillwayError): boolean {
  if (code === 'RATE_LIMITED') return params.scope !== 'organization';
  return code !== 'BUDGET_EXCEEDED' && code !== 'CAPACITY_EXHAUSTED' && code !== 'UNAUTHORIZED';
}

/** Whether a job would serve what cannot be served now. */
export function isWorthQueueing({ code, params }: SpillwayError): boolean {
  if (code === 'RATE_LIMITED') return params.scope !== 'organization';
  return (
    code === 'AI_LIMIT_REACHED' || code === 'PROVIDER_UNAVAILABLE' || code === 'NETWORK_TIMEOUT'
  );
}
