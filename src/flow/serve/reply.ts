// The connection to the caller, as flows use it. The HTTP layer implements it.

import type { StoredAnswer } from '../../admission/stored-answer.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';

export type Reply = {
  /** Call once, before any byte. Headers are names and values alternating. */
  begin(status: number, headers: string[]): void;
  /** False under back-pressure: wait for `drained` before the next write. */
  write(chunk: Buffer): boolean;
  end(chunk?: Buffer | string): void;
};

export type FailedRequest = {
  readonly error: SpillwayError;
  /** Content has already been sent. */
  readonly isBegun: boolean;
  /** An attempt was sent to a provider. */
  readonly wasCalled: boolean;
  /** The number of attempts sent; absent when the request failed before its call. */
  readonly attempts?: number;
  /** The gateway has used up its retries for this request; the caller must not retry as well. */
  readonly hasRetried?: boolean;
  /** The caller's limits, when a decision was made on them. */
  readonly standings?: readonly LimitStanding[];
  /** The flow writes the request's log line; otherwise the refusal itself is logged. */
  readonly isLogged?: boolean;
  /** Called with the rendered answer and awaited before it is sent. Never rejects. */
  readonly beforeSend?: (answer: StoredAnswer | undefined) => Promise<void>;
};

/** Answers a failure in the caller's format. */
export type AnswerFailure = (failure: FailedRequest) => void;

/** Events of the connection that a served request handles. */
export type ServedRequest = {
  /** The connection accepts bytes again. */
  drained(): void;
  /** The caller has left. */
  gone(): void;
};

/** Serves a request; wrappers such as idempotency pass their own reply to it. */
export type Serve = (reply: Reply, answerFailure: AnswerFailure) => ServedRequest;
