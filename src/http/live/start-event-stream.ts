// Starts a response of server-sent events outside of fastify, which would buffer it. The caller writes the events and ends
// the response.

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

const RECONNECT_MS = 2000;

export function startEventStream(
  reply: FastifyReply,
  caching: 'no-cache' | 'no-store',
): ServerResponse {
  // `hijack` drops the headers set so far, such as the request id.
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': `${caching}, no-transform`,
    'x-accel-buffering': 'no',
  });
  raw.write(`retry: ${RECONNECT_MS}\n\n`);
  return raw;
}
