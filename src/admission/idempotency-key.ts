// The caller's own name for a request that must not be made twice, and what tells such requests apart. Pure: what is
// remembered of them is the store's.

import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../errors/spillway-error.ts';

const HEADER = 'Idempotency-Key';
/** Visible ASCII: no blank, so a header that was sent twice, which arrives joined by `, `, is refused. */
const ALLOWED = /^[!-~]{1,255}$/;

/** Undefined when none was sent; INVALID_REQUEST when it is not one. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && ALLOWED.test(value)) return value;
  throw new SpillwayError('INVALID_REQUEST', `the ${HEADER} is not 1 to 255 visible characters`, {
    params: { field: HEADER },
  });
}

/** The same for the same method, address and body, whatever credential it was sent with. */
export function fingerprintOf(method: string, url: string, body: Buffer): string {
  return beginFingerprint(method, url).update(body).digest('base64url');
}

/** For a body that is read piece by piece: the pieces are added, then the digest is taken. */
export function beginFingerprint(method: string, url: string): Hash {
  // Neither a method nor an address can hold a line break, so no other request has the same bytes.
  return createHash('sha256').update(`${method} ${withoutCredential(url)}\n`);
}

/** A key that is renewed between two tries does not make them two requests. */
function withoutCredential(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return url;
  const kept = url
    .slice(queryAt + 1)
    .split('&')
    .filter((pair) => !/^key(=|$)/.test(pair));
  return [url.slice(0, queryAt), ...(kept.length > 0 ? [kept.join('&')] : [])].join('?');
}
