// Reads all pages of a list. Bounded: a server that returns endless pages must not keep a command running.

import { z } from 'zod';
import type { AdminApi, AdminRequest } from './admin-client.ts';

const MAX_PAGE = 200;
const MAX_PAGES = 500;

export async function allRows<T extends z.ZodType>(
  admin: AdminApi,
  row: T,
  path: string,
  rest: Pick<AdminRequest, 'errorTexts' | 'isCaller'> = {},
): Promise<z.infer<T>[]> {
  const page = z.object({ data: z.array(row), nextCursor: z.string().nullable() });
  const rows: z.infer<T>[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const query = new URLSearchParams({ limit: String(MAX_PAGE), ...(cursor && { cursor }) });
    const full = `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
    const answer = page.parse(await admin.call({ method: 'GET', path: full, ...rest }));
    rows.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor === null) break;
  }
  return rows;
}

/** The JSON of a list. */
export function asList(rows: readonly unknown[]): string {
  return JSON.stringify({ data: rows, nextCursor: null }, null, 2);
}
