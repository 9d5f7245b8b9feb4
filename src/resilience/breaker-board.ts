// The port to the circuit breakers of a cluster. Reading a circuit is local and costs nothing while it is closed; opening,
// the one probe at a time and closing are decided once for all servers. A provider limit with a known end uses the same
// circuits: after the end one probe goes first.

import type { CircuitKey } from './circuit-key.ts';

/** The states of a circuit. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** Why a circuit is not closed: calls failed, or the provider announced a limit until a timestamp. */
export type BreakerCause = 'failures' | 'limit';

/** Permission to make one call; its holder reports the outcome exactly once. */
export type BreakerPass = {
  readonly key: CircuitKey;
  /** The id of the probe, when the circuit is half open; other calls are refused until the probe ends. */
  readonly probe: string | undefined;
};

export type BreakerAnswer =
  | { readonly isAllowed: true; readonly pass: BreakerPass }
  | { readonly isAllowed: false; readonly retryAfterMs: number; readonly cause: BreakerCause };

/**
 * `neutral` says nothing about the provider's health: a throttle, a limit, a caller's mistake. `doubtful` is a failure that
 * the request itself may have provoked (an unreadable answer with status 200): it counts for its organisation only.
 */
export type CallHealth = 'success' | 'failure' | 'neutral' | 'doubtful';

/** One circuit with its counts. */
export type BreakerView = {
  readonly key: CircuitKey;
  readonly state: BreakerState;
  /** Undefined while the circuit is closed. */
  readonly cause: BreakerCause | undefined;
  readonly failuresInWindow: number;
  readonly callsInWindow: number;
  readonly successesInHalfOpen: number;
  readonly openedAt: number | undefined;
  /** In the past when the next call is the probe; undefined during a probe and while the circuit is closed. */
  readonly nextProbeAt: number | undefined;
};

/** A change of a circuit's state, as this server sees it. */
export type CircuitTransition = {
  readonly key: CircuitKey;
  readonly from: BreakerState;
  readonly to: BreakerState;
  /** The cause of the new state, or of the previous one when the circuit closed. */
  readonly cause: BreakerCause;
  /** Counts of this server in the window. */
  readonly failures: number;
  readonly calls: number;
  /** True only on the server that caused the transition. */
  readonly isDecidedHere: boolean;
};

/** The port to circuit breakers, of one process or of all. */
export type BreakerBoard = {
  /** False while every circuit is closed, as they usually are: all that the hot path reads. */
  hasOpen(): boolean;
  /** True while calls of that scope need no pass from `requestPass`. */
  isClosed(key: CircuitKey): boolean;
  /** Why calls are refused, as this server knows it; undefined while the circuit is closed. */
  openCause(key: CircuitKey): BreakerCause | undefined;
  /** How long calls are refused, as this server knows it; 0 while the circuit is closed and when the probe is due. */
  openForMs(key: CircuitKey): number;
  /**
   * Calls back once: synchronously, unless the servers have to agree on a probe. `organization` makes the call; a board
   * may let it past a circuit that other organisations keep open.
   */
  requestPass(
    key: CircuitKey,
    onAnswer: (answer: BreakerAnswer) => void,
    organization?: string,
  ): void;
  /**
   * Called once for each pass, as soon as the provider's health is known: at the first content. `organization` made the
   * call; absent if no call was made. Failures of one organisation among several open its own circuit only.
   */
  report(pass: BreakerPass, health: CallHealth, organization?: string): void;
  /**
   * Refuses calls until this timestamp, epoch milliseconds; then one probe goes first. Resolves when the other servers
   * can know of it, or when the announcement is queued until they can. Never rejects.
   */
  limitUntil(key: CircuitKey, resetAt: number): Promise<void>;
  /** Closes a circuit that a limit opened. */
  clearLimit(key: CircuitKey): Promise<void>;
  list(): Promise<readonly BreakerView[]>;
  /** Closes the circuit and clears its counts. */
  reset(key: CircuitKey): Promise<void>;
  close(): Promise<void>;
};

/** The outcome for the circuit of all organisations: a failure that one request may have provoked proves nothing. */
export function healthForAll(health: CallHealth): CallHealth {
  return health === 'doubtful' ? 'neutral' : health;
}

/** The outcome for the organisation's own circuit. */
export function healthForOne(health: CallHealth): CallHealth {
  return health === 'doubtful' ? 'failure' : health;
}
