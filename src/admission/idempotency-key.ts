// The caller's `Idempotency-Key` for a request that must not run twice, and the fingerprint that distinguishes
// requests with the same key. Pure; idempotency-store.ts is the port to the state.

import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../errors/spillway-error.ts';

const HEADER = 'Idempotency-Key';
/** Visible ASCII without a blank: a repeated header arrives joined by `, ` and is refused. */
const ALLOWED = /^[!-~]{1,255}$/;

/** Undefined without the header; throws INVALID_REQUEST if its value is not a valid key. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && ALLOWED.test(value)) return value;
  throw new SpillwayError('INVALID_REQUEST', `the ${HEADER} is not 1 to 255 visible characters`, {
    params: { field: HEADER },
  });
}

/** Equal for equal method, URL and body, even with different credentials. */
export function fingerprintOf(method: string, url: string, body: Buffer): string {
  return beginFingerprint(method, url).update(body).digest('base64url');
}

/** For a body that arrives in chunks: update the hash with each chunk, then take the digest. */
export function beginFingerprint(method: string, url: string): Hash {
  // Neither a method nor a URL can contain a line break, so different requests hash different bytes.
  return createHash('sha256').update(`${method} ${withoutCredential(url)}\n`);
}

/** A retry with a rotated credential is still the same request. */
function withoutCredential(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return url;
  const kept = url
    .slice(queryAt + 1)
    .split('&')
    .filter((pair) => !/^key(=|$)/.test(pair));
  return [url.slice(0, queryAt), ...(kept.length > 0 ? [kept.join('&')] : [])].join('?');
}
