// Reads the caller's key from the header or query parameter of its SDK. The order is fixed, so that a stray header of a
// proxy cannot silently change the caller.

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
