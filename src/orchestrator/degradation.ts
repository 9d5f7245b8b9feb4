// Which failures of a model let a chat request continue: with the next source of its decision (cache, rules), or as a job.
// flow/chat follows the order; docs/orchestrator.md lists it.

import type { SpillwayError } from '../errors/spillway-error.ts';

/**
 * Whether the request continues without the deciding model. A limit of the organisation itself, a spent budget and a bound of
 * this gateway would refuse the reply as well.
 */
export function isDecidedElsewhere({ code, params }: SpillwayError): boolean {
  if (code === 'RATE_LIMITED') return params.scope !== 'organization';
  return code !== 'BUDGET_EXCEEDED' && code !== 'CAPACITY_EXHAUSTED' && code !== 'UNAUTHORIZED';
}

/** Whether a job could serve the request later. */
export function isWorthQueueing({ code, params }: SpillwayError): boolean {
  if (code === 'RATE_LIMITED') return params.scope !== 'organization';
  return (
    code === 'AI_LIMIT_REACHED' || code === 'PROVIDER_UNAVAILABLE' || code === 'NETWORK_TIMEOUT'
  );
}
