// Reads the pages of a list. Bounded: a server that returns endless pages must not keep a command running.

import { z } from 'zod';
import type { AdminApi, AdminRequest } from './admin-client.ts';

const MAX_PAGE = 200;
const MAX_PAGES = 500;

type ListRequest = Pick<AdminRequest, 'errorTexts' | 'isCaller'>;
type Rows<T> = { readonly data: T[]; readonly nextCursor: string | null };

export async function allRows<T extends z.ZodType>(
  admin: AdminApi,
  row: T,
  path: string,
  rest: ListRequest = {},
): Promise<z.infer<T>[]> {
  return (await rowsUpTo(admin, row, path, Number.POSITIVE_INFINITY, rest)).data;
}

/** The first `most` rows. A page of the server may have fewer rows than its limit although another page follows. */
export async function rowsUpTo<T extends z.ZodType>(
  admin: AdminApi,
  row: T,
  path: string,
  most: number,
  rest: ListRequest = {},
): Promise<Rows<z.infer<T>>> {
  const page = z.object({ data: z.array(row), nextCursor: z.string().nullable() });
  const rows: Rows<z.infer<T>>['data'] = [];
  let cursor: string | null = null;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const limit = String(Math.min(MAX_PAGE, most - rows.length));
    const query = new URLSearchParams({ limit, ...(cursor !== null && { cursor }) });
    const full = `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
    const answer = page.parse(await admin.call({ method: 'GET', path: full, ...rest }));
    rows.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor === null || rows.length >= most) break;
  }
  return { data: rows, nextCursor: cursor };
}

/** The JSON of a list. */
export function asList(rows: readonly unknown[]): string {
  return JSON.stringify({ data: rows, nextCursor: null }, null, 2);
}
