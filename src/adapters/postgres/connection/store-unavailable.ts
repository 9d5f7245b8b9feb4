// Distinguishes errors of an unavailable PostgreSQL from errors of a statement. An error that PostgreSQL did not send is an error
// of the connection.

import { DatabaseError } from 'pg';
import { markStoreUnavailable } from '../../../errors/store-unavailable.ts';

/** Marks the error if PostgreSQL is temporarily unavailable; returns it. */
export function markIfUnavailable(error: unknown): unknown {
  const isUnavailable = !(error instanceof DatabaseError) || TRANSIENT.test(error.code ?? '');
  return isUnavailable ? markStoreUnavailable(error) : error;
}

/**
 * Connection errors (08), read-only after a failover (25006), deadlock and serialization failure (40), insufficient
 * resources (53), lock not available (55), operator intervention (57), system error (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const TRANSIENT = /^(?:08|25006|40|53|55|57|58)/;

/**
 * Whether PostgreSQL rejected the statement itself, a lock timeout included. Nothing was written then, and another
 * statement may succeed immediately.
 */
export function isStatementError(error: unknown): boolean {
  return error instanceof DatabaseError && !SERVER_UNAVAILABLE.test(error.code ?? '');
}

const SERVER_UNAVAILABLE = /^(?:08|25006|53|57P|58)/;
