// Reads a thrown value as a SpillwayError, from which policies take code, retryability and stated delay. The thrown value
// itself reaches the caller unchanged.

import { isErrorCode } from '../../errors/codes.ts';
import { mapProviderError } from '../../errors/map-provider-error.ts';
import { SpillwayError, type SpillwayErrorOptions } from '../../errors/spillway-error.ts';

/**
 * How a policy reads the value that an operation threw.
 *
 * @example
 * import { SpillwayError } from 'spillway/errors';
 * import { type ReadError, readFailure } from 'spillway/resilience';
 *
 * export const readError: ReadError = (thrown) =>
 *   thrown instanceof RangeError
 *     ? new SpillwayError('RATE_LIMITED', 'over the quota', { retryAfterMs: 1000, cause: thrown })
 *     : readFailure(thrown);
 */
export type ReadError = (thrown: unknown, now?: number) => SpillwayError;

/**
 * The default `ReadError`: a SpillwayError as it is, an error object of Spillway's API by its fields, everything else (errors of
 * SDKs and of `fetch`, a `Response`) through `mapProviderError`. An unknown error is INTERNAL and not retryable.
 *
 * @example
 * import { readFailure } from 'spillway/resilience';
 *
 * console.log(readFailure(new Response('', { status: 529 })).retryable); // true
 */
export const readFailure: ReadError = (thrown, now) => {
  if (thrown instanceof SpillwayError) return thrown;
  const message = thrown instanceof Error ? thrown.message : 'the operation failed';
  const stated = readStated(thrown);
  if (stated) return new SpillwayError(stated.code, message, { ...stated.options, cause: thrown });
  const verdict = mapProviderError(thrown, now === undefined ? {} : { now });
  return SpillwayError.fromVerdict(verdict, message, thrown);
};

/** A SpillwayError of another copy of this package, or the `error` of an answer of Spillway. */
function readStated(thrown: unknown) {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { code, retryable, retryAfterMs, resetAt }: Record<string, unknown> = {
    ...fieldsOf(thrown),
  };
  if (!isErrorCode(code) || typeof retryable !== 'boolean') return undefined;
  const options: SpillwayErrorOptions = {
    retryable,
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    ...(typeof resetAt === 'number' ? { resetAt } : {}),
  };
  return { code, options };
}

/** Own and inherited fields alike: getters of error classes are inherited. */
function fieldsOf(thrown: object): Record<string, unknown> {
  const names = ['code', 'retryable', 'retryAfterMs', 'resetAt'];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(thrown, name)]));
}
