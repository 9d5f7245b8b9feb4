// Whether a browser's request comes from the dashboard itself. SameSite=Strict does not suffice: pages on other ports of the
// same host are the same site. Reads are refused from other origins; writes additionally need a header that no form and no
// simple cross-origin request can send, and proof of the origin.

import type { IncomingMessage } from 'node:http';

const CSRF_HEADER = 'x-spillway-csrf';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function isFromDashboard({ method = '', headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === 'same-origin' || site === 'none';
  if (SAFE_METHODS.has(method)) return site === undefined || isOwnSite;
  if (headers[CSRF_HEADER] !== '1') return false;
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin !== undefined) return isOriginOf(origin, headers.host);
  return site === 'same-origin';
}

/** The scheme is not compared: TLS may end at a proxy. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const url = URL.parse(origin);
  return (
    url !== null && host !== undefined && url.host === URL.parse(`${url.protocol}//${host}`)?.host
  );
}
