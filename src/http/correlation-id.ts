// The caller's own name for its request. It is echoed and stored so that both sides can find the request
// again; it is never an identity of ours.

import type { IncomingHttpHeaders } from 'node:http';

const ALLOWED = /^[A-Za-z0-9_.-]{1,128}$/;

export function readCorrelationId(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-request-id'];
  return typeof value === 'string' && ALLOWED.test(value) ? value : undefined;
}
