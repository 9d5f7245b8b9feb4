// The cookie of a session. Browsers share cookies between the ports of a host, so its name contains the port: two servers on
// one machine have a session each.

import type { IncomingMessage } from 'node:http';

function cookieName(host: string | undefined): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  return port === undefined ? 'spillway_session' : `spillway_session_${port}`;
}

export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const name = `${cookieName(headers.host)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
}

/** `maxAgeMs` 0 removes it. `isSecure`: the browser speaks TLS. */
export function cookieHeader(
  host: string | undefined,
  value: string,
  options: { readonly maxAgeMs: number; readonly isSecure: boolean },
): string {
  const attributes = [
    `${cookieName(host)}=${value}`,
    'Path=/',
    `Max-Age=${Math.floor(options.maxAgeMs / 1000)}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(options.isSecure ? ['Secure'] : []),
  ];
  return attributes.join('; ');
}
