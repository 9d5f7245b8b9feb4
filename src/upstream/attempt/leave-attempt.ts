// The end of an attempt after its caller has left: the answer is read for its usage and not relayed.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { AttemptListener } from './attempt-call.ts';

/** The outcome of an attempt after its caller disconnected. */
export type LeftOutcome =
  /** The answer is complete and reported this usage. */
  | { readonly kind: 'reported'; readonly usage: MeteredUsage }
  /** The provider refused, or was never reached. `error` is that of a stream, which may have had content before it. */
  | { readonly kind: 'refused'; readonly error?: SpillwayError }
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
    onFailed: (error) =>
      onLeft(error.code === 'NETWORK_TIMEOUT' ? { kind: 'unknown' } : { kind: 'refused', error }),
  };
}
