// Keyset pagination: `{ data, nextCursor }`. A cursor is the encoded key of the page's last row, so that every page
// costs the same and rows inserted or deleted in between shift no page. Keys are printable ASCII; in hexadecimal every text
// of the documented pattern is a valid cursor.

import { z } from 'zod';
import { SpillwayError } from '../errors/spillway-error.ts';

const MAX_PAGE = 500;
const CURSOR = /^([2-7][0-9a-f]){1,200}$/;

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100),
  cursor: z.string().regex(CURSOR).optional().describe('`nextCursor` of the previous page'),
};

export function pageOf<T extends z.ZodType>(row: T) {
  return z.object({ data: z.array(row), nextCursor: z.string().nullable() });
}

/** The page of a view that is already built; its schema only documents. */
export function readonlyPageOf<T extends z.ZodType>(row: T) {
  return z.object({ data: z.array(row).readonly(), nextCursor: z.string().nullable() });
}

export type Page<T> = { readonly data: T[]; readonly nextCursor: string | null };

/** Builds a page from a query with `limit + 1` rows: the extra row shows that another page follows. */
export function cutPage<T>(rows: readonly T[], limit: number, keyOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last === undefined ? null : writeCursor(keyOf(last)) };
}

/** A short list without pagination. */
export function wholeList<T>(rows: readonly T[]): Page<T> {
  return { data: [...rows], nextCursor: null };
}

export function writeCursor(key: string): string {
  return Buffer.from(key, 'latin1').toString('hex');
}

export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  if (CURSOR.test(cursor)) return Buffer.from(cursor, 'hex').toString('latin1');
  throw new SpillwayError('INVALID_REQUEST', 'invalid cursor', {
    params: { field: 'cursor' },
  });
}
