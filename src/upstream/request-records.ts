// What became of requests that failed, for operators: who asked, every attempt with what the provider really said,
// and the error that was answered. A record is a means of finding out, not a record of account: it is kept for a
// while and may be forgotten at any time. Successes are not kept. What comes in is redacted already.

import type { ErrorCode } from '../errors/codes.ts';
import type { PublicError } from '../errors/public-answer.ts';
import type { RawFailure } from '../errors/raw-failure.ts';

export type FailedAttempt = {
  /** Names this attempt alone: a job's run, for instance. The record is found by it as well. */
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly code: ErrorCode;
  /** Our own words. */
  readonly reason: string;
  readonly raw: RawFailure | undefined;
};

export type RequestOwner = {
  readonly id: string;
  readonly correlationId?: string | undefined;
  readonly organizationId: string;
  readonly keyId: string | undefined;
};

export type RequestRecord = RequestOwner & {
  readonly attempts: readonly (FailedAttempt & { readonly number: number })[];
  /** Why it failed, where no attempt was made. */
  readonly reason?: string;
  /** As the caller was told; a job's owner reads it from the job instead. */
  readonly error?: PublicError;
};

export type RequestRecords = {
  /** An attempt failed; attempts of one request are kept together. */
  failed(owner: RequestOwner, attempt: FailedAttempt): void;
  /** The caller was told. `reason` is ours, for a request that got no further than us. */
  answered(owner: RequestOwner, error: PublicError, reason: string): void;
  /** By the request's id, or by an attempt's. */
  find(id: string): RequestRecord | undefined;
};
