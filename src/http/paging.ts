// Lists in pages: `{ data, nextCursor }`. A cursor is the key of the page's last row, made opaque, so that a page
// costs the same wherever it begins and rows that come or go in between shift nothing.

import { z } from 'zod';
import { SpillwayError } from '../errors/spillway-error.ts';

const MAX_PAGE = 500;
const MAX_CURSOR = 400;

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100),
  cursor: z.string().max(MAX_CURSOR).optional().describe('`nextCursor` of the page before'),
};

export function pageOf<T extends z.ZodType>(row: T) {
  return z.object({ data: z.array(row), nextCursor: z.string().nullable() });
}

export type Page<T> = { readonly data: T[]; readonly nextCursor: string | null };

/** Cuts a page out of what was asked for with one row more than its limit. */
export function cutPage<T>(rows: readonly T[], limit: number, keyOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last === undefined ? null : writeCursor(keyOf(last)) };
}

/** A list that is short by its nature and always given whole. */
export function wholeList<T>(rows: readonly T[]): Page<T> {
  return { data: [...rows], nextCursor: null };
}

export function writeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const key = Buffer.from(cursor, 'base64url').toString();
  // What does not read back as it was written was never given out by us.
  if (key !== '' && writeCursor(key) === cursor && !key.includes('\u0000')) return key;
  throw new SpillwayError('INVALID_REQUEST', 'not a cursor of ours', {
    params: { field: 'cursor' },
  });
}
