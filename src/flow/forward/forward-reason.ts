// Decides whether a failure means that this server lacks capacity which another one may have. Pure. A failure after a call
// to a provider is forwarded only if the provider refused the call by its limit: any other call may have been served and
// paid for.

import type { FailedRequest } from '../serve/reply.ts';

export type ForwardReason =
  | 'local_ai_limit'
  | 'provider_throttled'
  | 'circuit_open'
  | 'at_capacity'
  | 'draining';

/** Undefined for a failure that another server would repeat, or that has reached the caller. */
export function forwardReason({
  error,
  isBegun,
  wasCalled,
}: Pick<FailedRequest, 'error' | 'isBegun' | 'wasCalled'>): ForwardReason | undefined {
  if (isBegun) return undefined;
  const { code, params } = error;
  if (code === 'AI_LIMIT_REACHED') return 'local_ai_limit';
  if (code === 'RATE_LIMITED')
    return params.scope === 'provider' ? 'provider_throttled' : undefined;
  if (wasCalled) return undefined;
  if (code === 'PROVIDER_UNAVAILABLE') return 'circuit_open';
  return code === 'CAPACITY_EXHAUSTED' ? 'at_capacity' : undefined;
}
