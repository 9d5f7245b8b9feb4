// The one error class. `message` and `cause` are internal: they are logged and shown to operators, and
// never reach a caller; callers are answered from code, params and the retry fields alone.

import type { ErrorCode, ErrorParams, Verdict } from './codes.ts';
import { ERROR_TABLE } from './codes.ts';
import { isStoreAway } from './store-away.ts';

export type SpillwayErrorOptions = {
  readonly params?: ErrorParams;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
  readonly isModelBound?: boolean;
  readonly cause?: unknown;
};

export class SpillwayError extends Error {
  override readonly name = 'SpillwayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly params: ErrorParams;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly resetAt: number | undefined;
  /** The limit is the model's alone: others of the same account go on. */
  readonly isModelBound: boolean;

  constructor(code: ErrorCode, message: string, options: SpillwayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const row = ERROR_TABLE[code];
    this.code = code;
    this.status = row.status;
    this.params = options.params ?? {};
    this.retryable = options.retryable ?? row.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.resetAt = options.resetAt;
    this.isModelBound = options.isModelBound ?? false;
  }

  static fromVerdict(verdict: Verdict, message: string, cause?: unknown): SpillwayError {
    return new SpillwayError(verdict.code, message, { ...verdict, cause });
  }
}

/** Long enough for a store to be back from a restart, short enough that nobody gives up. */
const STORE_AWAY_MS = 2000;

/** Whatever was thrown, as a SpillwayError; what nobody foresaw is INTERNAL and keeps its cause. */
export function toSpillwayError(thrown: unknown): SpillwayError {
  if (thrown instanceof SpillwayError) return thrown;
  const message = describe(thrown);
  if (isStoreAway(thrown))
    return new SpillwayError('CAPACITY_EXHAUSTED', message, {
      retryAfterMs: STORE_AWAY_MS,
      cause: thrown,
    });
  return new SpillwayError('INTERNAL', message, { cause: thrown });
}

// What is thrown can be anything, even an object that refuses to become a string.
function describe(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}
