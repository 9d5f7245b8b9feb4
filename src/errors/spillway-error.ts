// The only error class. `message` and `cause` are internal: they are logged and shown to operators and never
// reach a caller. Callers get the code, the params and the retry fields.

import type { ErrorCode, ErrorParams, Verdict } from './codes.ts';
import { ERROR_TABLE } from './codes.ts';
import type { Lesson } from './mapping/lesson/lesson.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

/** The options of the constructor of `SpillwayError`. */
export type SpillwayErrorOptions = {
  readonly params?: ErrorParams;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
  readonly lesson?: Lesson;
  readonly isTimedOut?: boolean;
  readonly isBrokenOff?: boolean;
  readonly cause?: unknown;
};

/** The one error class. `message` and `cause` are internal; callers get code, parameters and times. */
export class SpillwayError extends Error {
  override readonly name = 'SpillwayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly params: ErrorParams;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly resetAt: number | undefined;
  /** What all organisations may learn from a provider's failure; the other fields are for the one caller. */
  readonly lesson: Lesson | undefined;
  /** A clock of Spillway ended the call after its request was sent: the provider has worked and is paid. */
  readonly isTimedOut: boolean;
  /** The connection ended after the answer had begun. Clients of a direct connection do not retry such a call. */
  readonly isBrokenOff: boolean;

  constructor(code: ErrorCode, message: string, options: SpillwayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const row = ERROR_TABLE[code];
    this.code = code;
    this.status = row.status;
    this.params = options.params ?? {};
    this.retryable = options.retryable ?? row.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.resetAt = options.resetAt;
    this.lesson = options.lesson;
    this.isTimedOut = options.isTimedOut ?? false;
    this.isBrokenOff = options.isBrokenOff ?? false;
  }

  static fromVerdict(verdict: Verdict, message: string, cause?: unknown): SpillwayError {
    return new SpillwayError(verdict.code, message, { ...verdict, cause });
  }
}

/** Long enough for a store to restart, short enough that callers come back. */
const STORE_RETRY_AFTER_MS = 2000;

/**
 * Converts any thrown value to a SpillwayError. An unexpected value becomes INTERNAL and is kept as the
 * cause.
 */
export function toSpillwayError(thrown: unknown): SpillwayError {
  if (thrown instanceof SpillwayError) return thrown;
  const message = describe(thrown);
  if (isStoreUnavailable(thrown))
    return new SpillwayError('CAPACITY_EXHAUSTED', message, {
      retryAfterMs: STORE_RETRY_AFTER_MS,
      cause: thrown,
    });
  return new SpillwayError('INTERNAL', message, { cause: thrown });
}

// A thrown value can be anything, even an object that throws on conversion to a string.
function describe(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'a value without a string form was thrown';
  }
}
