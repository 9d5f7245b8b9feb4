// Reads the caller's key from the headers and query parameter in which SDKs send it. A client may send several: Claude
// Code adds a bearer token beside a configured `x-api-key`. The candidates have a fixed order; a later one counts only if
// no earlier one is valid, so that a stray header of a proxy cannot replace a valid key.

import type { IncomingHttpHeaders } from 'node:http';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { toSpillwayError } from '../errors/spillway-error.ts';

/** Azure's SDKs send `api-key`. */
const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** The first candidate: the only one in almost every request. */
export function readCredential(
  headers: IncomingHttpHeaders,
  queryKey?: string,
): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return bearer(authorization);
  for (const name of KEY_HEADERS) {
    const value = single(headers[name]);
    if (value !== undefined) return value;
  }
  return queryKey;
}

/** All candidates in order, without repeats. */
export function readCredentials(headers: IncomingHttpHeaders, queryKey?: string): string[] {
  const { authorization } = headers;
  const candidates = [
    authorization === undefined ? undefined : bearer(authorization),
    ...KEY_HEADERS.map((name) => single(headers[name])),
    queryKey,
  ];
  return [...new Set(candidates.filter((value) => value !== undefined))];
}

export function hasCredential(headers: IncomingHttpHeaders, queryKey?: string): boolean {
  return readCredentials(headers, queryKey).some((credential) => credential !== '');
}

/** The principal of the first valid candidate; throws what the first candidate's lookup threw. */
export async function findPrincipal(
  keyring: Pick<Keyring, 'find'>,
  headers: IncomingHttpHeaders,
  queryKey?: string,
): Promise<Principal> {
  const [first, ...others] = readCredentials(headers, queryKey);
  try {
    return await keyring.find(first);
  } catch (thrown) {
    if (toSpillwayError(thrown).code !== 'UNAUTHORIZED') throw thrown;
    for (const candidate of others) {
      const principal = await keyring.find(candidate).catch(() => undefined);
      if (principal) return principal;
    }
    throw thrown;
  }
}

function bearer(authorization: string): string {
  if (authorization.length < 8 || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return '';
  return authorization.slice(7).trim();
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
