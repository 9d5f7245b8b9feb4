// The port to the circuit breakers of a cluster, one per provider and region. Asking is local and costs nothing while
// a circuit is closed; opening, the one probe at a time and closing are decided in one place for all servers.
// A provider that has said when its limit is over is come back to in the same way: by one probe first.

export type BreakerState = 'closed' | 'open' | 'half_open';

/** Why a circuit is not closed: calls failed, or the provider has said that it is limited until a moment. */
export type BreakerCause = 'failures' | 'limit';

/** Leave to make one call; what became of it must be told once, whatever happens. */
export type BreakerPass = {
  readonly provider: string;
  readonly region: string;
  /** The probe of a circuit that is half open; others wait for what it finds. */
  readonly probe: string | undefined;
};

export type BreakerAnswer =
  | { readonly isAllowed: true; readonly pass: BreakerPass }
  | { readonly isAllowed: false; readonly retryAfterMs: number; readonly cause: BreakerCause };

/** What is no statement about the provider's health (a throttle, a limit, the caller's mistake) is `neutral`. */
export type CallHealth = 'success' | 'failure' | 'neutral';

export type BreakerView = {
  readonly provider: string;
  readonly region: string;
  readonly state: BreakerState;
  /** Undefined while it is closed. */
  readonly cause: BreakerCause | undefined;
  readonly failuresInWindow: number;
  readonly callsInWindow: number;
  readonly successesInHalfOpen: number;
  readonly openedAt: number | undefined;
  /** In the past when the next call is the probe; undefined while one is under way, and while it is closed. */
  readonly nextProbeAt: number | undefined;
};

/** A circuit is in another state, as far as this server knows. */
export type CircuitTransition = {
  readonly provider: string;
  readonly region: string;
  readonly from: BreakerState;
  readonly to: BreakerState;
  /** Of the state it is in now; of the one before, when it is closed. */
  readonly cause: BreakerCause;
  /** In the window, as this server has seen them. */
  readonly failures: number;
  readonly calls: number;
  /** One server of the cluster decides; the others hear of it. */
  readonly isDecidedHere: boolean;
};

export type BreakerBoard = {
  /** True while calls may go on as usual: the hot path's whole question. */
  isClosed(provider: string, region: string): boolean;
  /** What holds calls back, as far as this server knows; undefined while nothing does. */
  heldBy(provider: string, region: string): BreakerCause | undefined;
  /** Calls back once; at once unless a probe has to be claimed among servers. */
  ask(provider: string, region: string, onAnswer: (answer: BreakerAnswer) => void): void;
  /** Once for each pass, as soon as it is known whether the provider is well: the first content says so. */
  report(pass: BreakerPass, health: CallHealth): void;
  /**
   * The provider has said that it serves again at this moment, epoch milliseconds: from then on one probe goes first.
   * Resolves when every server can know, or will be told as soon as it can be. Until then others refuse its calls.
   */
  expect(provider: string, region: string, at: number): Promise<void>;
  /** The limit was taken away by hand: what was held back by it goes on at once. */
  expectNothing(provider: string, region: string): Promise<void>;
  list(): Promise<readonly BreakerView[]>;
  /** Closes it, whatever was counted. */
  reset(provider: string, region: string): Promise<void>;
  close(): Promise<void>;
};
