// The caller's id for its request. Spillway echoes and stores it so that both sides can find the request; it never
// replaces Spillway's own request id.

import type { IncomingHttpHeaders } from 'node:http';

const ALLOWED = /^[A-Za-z0-9_.-]{1,128}$/;

export function readCorrelationId(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-request-id'];
  return typeof value === 'string' && ALLOWED.test(value) ? value : undefined;
}
