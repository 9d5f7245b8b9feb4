// The one call shape of all policies: a policy gets an operation and the caller's signal, and runs the operation under
// its rule. Policies therefore nest: `compose` builds one of several, the first being the outermost.

/**
 * The call that a policy protects. It gets a signal that is aborted when the caller gives up or a policy ends the call,
 * and passes it on to whatever it awaits.
 *
 * @example
 * import type { Operation } from 'spillway/resilience';
 *
 * export const operation: Operation<Response> = (signal) => fetch('https://api.example', { signal });
 */
export type Operation<T> = (signal: AbortSignal) => T | PromiseLike<T>;

/**
 * Runs an operation under one rule. Rejects with the operation's own error, with a `SpillwayError` of the policy, or with the
 * reason of `signal`.
 *
 * @example
 * import { type Policy, retry } from 'spillway/resilience';
 *
 * const patient: Policy = retry({ maxRetries: 2 });
 * console.log(await patient(() => 'done', AbortSignal.timeout(5000)));
 */
export type Policy = <T>(operation: Operation<T>, signal?: AbortSignal) => Promise<T>;

/**
 * One policy of several; the first is the outermost. Each retry below passes the breaker and gets a timeout of its own.
 *
 * @example
 * import { bulkhead, circuitBreaker, compose, retry, timeout } from 'spillway/resilience';
 *
 * const guarded = compose(retry(), circuitBreaker(), bulkhead({ concurrent: 10 }), timeout({ ms: 5000 }));
 * console.log((await guarded((signal) => fetch('http://127.0.0.1:8787/health', { signal }))).status);
 */
export function compose(...policies: readonly Policy[]): Policy {
  return <T>(operation: Operation<T>, signal?: AbortSignal): Promise<T> => {
    const nested = policies.reduceRight<Operation<T>>(
      (inner, policy) => (given) => policy(inner, given),
      operation,
    );
    return attempt(nested, signal);
  };
}

/** Calls the operation unless the caller has given up; a synchronous throw becomes a rejection. */
export async function attempt<T>(operation: Operation<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  return operation(signal ?? NEVER);
}

/** For operations of callers without a signal. */
const NEVER = new AbortController().signal;
