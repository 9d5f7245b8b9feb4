// Is it the store that cannot be used just now, or is the statement wrong? Whatever did not come from the server came
// from the connection to it.

import { DatabaseError } from 'pg';
import { asStoreAway } from '../../errors/store-away.ts';

/** What was thrown, marked when it will pass. */
export function marked(error: unknown): unknown {
  const isAway = !(error instanceof DatabaseError) || PASSING.test(error.code ?? '');
  return isAway ? asStoreAway(error) : error;
}

/**
 * Connections (08), read-only because it is no longer the primary (25006), deadlocks and the like (40), resources (53),
 * locks (55), an operator's doing (57), the system below (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING = /^(?:08|25006|40|53|55|57|58)/;
