// The token of an operator's session in a browser: `v1.<expiry>.<nonce>.<signature>`. It is stateless: the signature's key is
// derived from the admin key, so every server of a cluster accepts it, and a new admin key ends all sessions. The token
// contains nothing of the admin key.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const VERSION = 'v1';
const PURPOSE = 'spillway dashboard session';
const MAX_TOKEN_LENGTH = 200;
const NONCE_BYTES = 16;

export type SessionKey = { readonly bytes: Buffer };

export function sessionKey(adminKey: string): SessionKey {
  return { bytes: Buffer.from(hkdfSync('sha256', adminKey, '', PURPOSE, 32)) };
}

export function issueSession(key: SessionKey, expiresAt: number): string {
  const content = `${VERSION}.${expiresAt}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
  return `${content}.${sign(key, content)}`;
}

/** When the session expires; undefined for a token that is expired, forged or signed under another admin key. */
export function readSession(key: SessionKey, token: string, now: number): number | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const end = token.lastIndexOf('.');
  const content = token.slice(0, Math.max(end, 0));
  const expected = Buffer.from(sign(key, content));
  const given = Buffer.from(token.slice(end + 1));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [version, expiry = ''] = content.split('.', 2);
  const expiresAt = Number(expiry);
  return version === VERSION && expiresAt > now ? expiresAt : undefined;
}

function sign({ bytes }: SessionKey, content: string): string {
  return createHmac('sha256', bytes).update(content).digest('base64url');
}
