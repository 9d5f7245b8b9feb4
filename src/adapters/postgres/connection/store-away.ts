// Is it the store that cannot be used just now, or is the statement wrong? Whatever did not come from the server came
// from the connection to it.

import { DatabaseError } from 'pg';
import { markStoreUnavailable } from '../../../errors/store-unavailable.ts';

/** What was thrown, marked when it will pass. */
export function marked(error: unknown): unknown {
  const isAway = !(error instanceof DatabaseError) || PASSING.test(error.code ?? '');
  return isAway ? markStoreUnavailable(error) : error;
}

/**
 * Connections (08), read-only because it is no longer the primary (25006), deadlocks and the like (40), resources (53),
 * locks (55), an operator's doing (57), the system below (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING = /^(?:08|25006|40|53|55|57|58)/;

/**
 * Whether the server answered and did not do it because of what it was asked, a lock that it waited for included. Then
 * nothing was written, and something else may be asked of it at once.
 */
export function isAboutStatement(error: unknown): boolean {
  return error instanceof DatabaseError && !LEAVING.test(error.code ?? '');
}

const LEAVING = /^(?:08|25006|53|57P|58)/;
