// The sessions of operators in browsers: a login with the admin key gives a signed cookie that the admin API accepts in
// place of the key. A request with a session is refused if its Host or its origin is not the dashboard's.
//
// States of a session: signed in → expired, or ended by a new admin key. Signing out removes the cookie.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { addressSubject, type RefusalLimit } from '../refusal-limit.ts';
import { isFromDashboard } from './same-origin.ts';
import type { ServesHost } from './served-hosts.ts';
import { cookieHeader, readCookie } from './session-cookie.ts';
import { issueSession, readSession, sessionKey } from './session-token.ts';

export type OperatorSessions = {
  /** When the request's session expires; undefined without a valid session. Throws if its origin or its Host is refused. */
  expiry(request: IncomingMessage): number | undefined;
  /** The cookie of a new session. Throws for a wrong key, a foreign origin or a foreign Host. */
  signIn(request: IncomingMessage, key: string): SessionCookie;
  /** The same session with a new expiry. */
  renew(request: IncomingMessage): SessionCookie;
  /** The header that removes the cookie. */
  signOut(request: IncomingMessage): string;
  /** Throws if the dashboard does not answer under the request's Host. */
  assertHost(request: IncomingMessage): void;
};

export type SessionCookie = { readonly header: string; readonly expiresAt: number };

export type SessionOptions = {
  readonly adminKey: string;
  readonly sessionMs: number;
  readonly servesHost: ServesHost;
  /** Behind a proxy that sets x-forwarded-proto. */
  readonly trustsForwardedProto: boolean;
  readonly guesses: RefusalLimit;
  readonly clock: Clock;
};

export function createOperatorSessions(options: SessionOptions): OperatorSessions {
  const { adminKey, sessionMs, servesHost, guesses, clock } = options;
  const key = sessionKey(adminKey);
  const adminDigest = digest(adminKey);

  function assertHost({ headers }: IncomingMessage): void {
    if (!servesHost(headers.host))
      throw new SpillwayError('FORBIDDEN', 'the dashboard does not answer under this Host');
  }

  function assertOrigin(request: IncomingMessage): void {
    assertHost(request);
    if (!isFromDashboard(request))
      throw new SpillwayError('FORBIDDEN', 'the request does not come from the dashboard');
  }

  function cookie(request: IncomingMessage, value: string, maxAgeMs: number): string {
    const forwarded = options.trustsForwardedProto && request.headers['x-forwarded-proto'];
    const isSecure = forwarded === 'https';
    return cookieHeader(request.headers.host, value, { maxAgeMs, isSecure });
  }

  function renew(request: IncomingMessage): SessionCookie {
    const expiresAt = clock.now() + sessionMs;
    return { header: cookie(request, issueSession(key, expiresAt), sessionMs), expiresAt };
  }

  return {
    assertHost,
    renew,
    expiry(request) {
      const token = readCookie(request);
      if (token === undefined) return undefined;
      const expiresAt = readSession(key, token, clock.now());
      if (expiresAt !== undefined) assertOrigin(request);
      return expiresAt;
    },
    signIn(request, given) {
      assertOrigin(request);
      if (timingSafeEqual(digest(given), adminDigest)) return renew(request);
      throw (
        guesses.count(addressSubject(request)) ??
        new SpillwayError('UNAUTHORIZED', 'wrong admin key')
      );
    },
    signOut(request) {
      assertOrigin(request);
      return cookie(request, '', 0);
    },
  };
}

/** The constant-time comparison requires buffers of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
