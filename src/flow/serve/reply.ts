// What a flow needs of the connection to the caller. The HTTP layer implements it; a test can too.

import type { KeptAnswer } from '../../admission/idempotency-store.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';

export type Reply = {
  /** Status and headers (names and values in turn); once, before any byte. */
  begin(status: number, headers: string[]): void;
  /** False when the caller reads more slowly than we write: wait until told that it has drained. */
  write(chunk: Buffer): boolean;
  end(chunk?: Buffer | string): void;
};

export type FailedRequest = {
  readonly error: SpillwayError;
  /** Content has already gone out. */
  readonly isBegun: boolean;
  /** A provider was asked; without that nothing has happened. */
  readonly wasCalled: boolean;
  /** How often a provider was asked; absent where it never came to that. */
  readonly attempts?: number;
  /** How the caller's limits stand, where they were asked. */
  readonly standings?: readonly LimitStanding[];
  /** Is told what the caller will be answered, and waited for before it is. Never rejects. */
  readonly beforeSend?: (answer: KeptAnswer | undefined) => Promise<void>;
};

/** Answers a failure in the caller's format. */
export type AnswerFailure = (failure: FailedRequest) => void;

/** What the connection tells a request that is being served. */
export type ServedRequest = {
  /** The caller has read what was written. */
  drained(): void;
  /** The caller has left. */
  gone(): void;
};

/** How a request is served, for whoever stands between it and its caller. */
export type Serve = (reply: Reply, answerFailure: AnswerFailure) => ServedRequest;
