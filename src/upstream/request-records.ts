// Records of failed requests, for operators: the caller, every attempt with the provider's raw failure, and the error that
// the caller got. A record is a diagnostic, not an account: it is kept for a limited time and may be evicted. Successful
// requests leave no record. Adding never throws and is synchronous. Callers of this port redact secrets first.

import type { ErrorCode } from '../errors/codes.ts';
import type { PublicError } from '../errors/public-answer.ts';
import type { RawFailure } from '../errors/raw-failure.ts';

export type FailedAttempt = {
  /** Unique to this attempt, such as a job's run. `find` accepts it too. */
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly code: ErrorCode;
  /** Spillway's own description. */
  readonly reason: string;
  readonly raw: RawFailure | undefined;
};

export type RequestOwner = {
  readonly id: string;
  readonly correlationId?: string | undefined;
  readonly organizationId: string;
  readonly keyId: string | undefined;
};

/** The beginning of a stream that was cut, as its caller got it. */
export type PartialAnswer = {
  /** Bounded; the bytes of the stream as text. */
  readonly text: string;
  /** All bytes that the caller got. */
  readonly bytes: number;
};

export type RequestRecord = RequestOwner & {
  readonly attempts: readonly (FailedAttempt & { readonly number: number })[];
  /** Why the request failed before its first attempt. */
  readonly reason?: string;
  /** The error that the caller got. Jobs carry their error themselves. */
  readonly error?: PublicError;
  /** What the caller had received when its stream was cut. */
  readonly partial?: PartialAnswer;
};

export type RequestRecords = {
  /** Adds a failed attempt to the request's record. */
  failed(owner: RequestOwner, attempt: FailedAttempt): void;
  /** Adds the error that the caller got. `reason` is the internal cause of a request without attempts. */
  answered(owner: RequestOwner, error: PublicError, reason: string): void;
  /** Adds the partial answer of a stream that was cut. */
  cut(owner: RequestOwner, partial: PartialAnswer): void;
  /** By the request's id, or by an attempt's, on any server that shares the records. Never rejects. */
  find(id: string): Promise<RequestRecord | undefined>;
  /** Resolves when the other servers can find the records so far, or cannot be reached. */
  flush(): Promise<void>;
};
