// The caller's key, wherever its SDK puts it. The first one present wins, so that a proxy's stray header
// cannot silently change who is calling.

import type { IncomingHttpHeaders } from 'node:http';

export function readCredential(
  headers: IncomingHttpHeaders,
  queryKey?: string,
): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return bearer(authorization);
  return single(headers['x-api-key']) ?? single(headers['x-goog-api-key']) ?? queryKey;
}

function bearer(authorization: string): string | undefined {
  if (authorization.length < 8 || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return '';
  return authorization.slice(7).trim();
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
