// Detects requests that come back to a server which they have passed, directly or through a chain of Spillways. Every call
// to a provider names the servers behind it in `x-spillway-hops`; a server that finds itself in the list, or a list that is
// too long, refuses the request. A caller that sends the header can only have its own requests refused.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const HOPS_HEADER = 'x-spillway-hops';

/** A chain is longer only if it is a loop through servers that share a load balancer. */
const MAX_HOPS = 8;
const HOP = /^[0-9a-f]{16}$/;
const MAX_HEADER_LENGTH = 200;

/** The name of a server in the list. A digest, because providers see it and server ids may be host names. */
export function hopOf(serverId: string): string {
  return createHash('sha256').update(serverId).digest('hex').slice(0, 16);
}

/**
 * Replaces the caller's list by the one for outgoing calls, with this server at its end; false if the request is in a loop. A
 * list that no server has written is dropped.
 */
export function addHop(headers: IncomingHttpHeaders, own: string): boolean {
  const passed = hopsIn(headers[HOPS_HEADER]);
  if (passed.length >= MAX_HOPS || passed.includes(own)) return false;
  headers[HOPS_HEADER] = passed.length === 0 ? own : `${passed.join(',')},${own}`;
  return true;
}

const NONE: readonly string[] = [];

function hopsIn(header: string | string[] | undefined): readonly string[] {
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return NONE;
  const hops = header.split(',').map((hop) => hop.trim());
  return hops.every((hop) => HOP.test(hop)) ? hops : NONE;
}
