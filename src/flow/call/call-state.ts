// The states of a call.
//
//   choosing ─▶ clearing ─▶ calling ─▶ ended
//      ▲           │           └─▶ settling    the attempt failed: its usage is journalled
//      ├───────────┘                  │        refused: the target is skipped
//      ├──────────────────────────────┘        no content was sent: the next target follows; else ended
//      └─ waiting ◀─ choosing                  no target is left, and a wait within the bounds can help; else ended
//
// A refusal by one of the caller's own limits, and the caller's disconnect in any state, also end the call.

import type { CancelTimer } from '../../kernel/clock.ts';
import type { Attempt } from '../../upstream/attempt/attempt.ts';
import type { SentAttempt } from './charge/settle-attempt.ts';
import type { AttemptClearance } from './clear-attempt.ts';

/**
 * The clearance is stored as an object, not as a function that withdraws it: V8 treats a function in a field as a constant
 * method and promotes it to the old generation, where it would retain the whole request after its end.
 */
export type CallState =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'clearing'; readonly clearance: AttemptClearance }
  | Calling
  | { readonly kind: 'settling' }
  | { readonly kind: 'waiting'; readonly cancel: CancelTimer }
  | { readonly kind: 'ended' };

export type Calling = {
  readonly kind: 'calling';
  readonly sent: SentAttempt;
  readonly attempt: Attempt;
  /** Events have reached the caller, so no other attempt can replace this one. */
  hasContent: boolean;
  isHealthReported: boolean;
};

export const CHOOSING: CallState = Object.freeze({ kind: 'choosing' });
export const SETTLING: CallState = Object.freeze({ kind: 'settling' });
export const ENDED: CallState = Object.freeze({ kind: 'ended' });
