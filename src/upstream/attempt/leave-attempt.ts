// The end of an attempt whose caller no longer waits: the answer is read for its usage and not relayed.

import type { MeteredUsage } from '../../kernel/usage.ts';
import type { AttemptListener } from './attempt-call.ts';

/** The outcome of an attempt after its caller disconnected. */
export type LeftOutcome =
  /** The answer is complete and reported this usage. */
  | { readonly kind: 'reported'; readonly usage: MeteredUsage }
  /** The provider refused, or was never reached. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' };

/** Relays nothing, and reports how the call ended. */
export function usageListener(
  streamUsage: () => MeteredUsage | undefined,
  onLeft: (outcome: LeftOutcome) => void,
): AttemptListener {
  const ended = (usage: MeteredUsage | undefined): void =>
    onLeft(usage ? { kind: 'reported', usage } : { kind: 'unknown' });
  return {
    onAnswer: (_body, _contentType, usage) => ended(usage),
    onEvents: () => true,
    onComplete: () => ended(streamUsage()),
    onFailed: ({ code }) => onLeft({ kind: code === 'NETWORK_TIMEOUT' ? 'unknown' : 'refused' }),
  };
}
