// Bounds the answers that callers do not read. Node buffers the bytes that the caller has not read, so a large answer
// counts against the quota of bodies until it is sent, and a caller that stops reading one loses its connection.
// Streams have back-pressure.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { turnAfter } from '../../kernel/next-turn.ts';
import { ownerOf } from './body-owner.ts';
import { type BodyQuota, MAX_SMALL_BODY_BYTES } from './body-quota.ts';

/** The longest pause in which the caller takes no byte of a large answer. */
const MAX_PAUSE_MS = 60_000;

/** Smaller answers are not counted: the socket's buffers take most of them. */
export function isLargeAnswer(bytes: number): boolean {
  return bytes > MAX_SMALL_BODY_BYTES;
}

/** Closes the connection when the caller stops reading this response. */
export function expectReading(response: ServerResponse): void {
  // A pipelined response has no socket before its turn.
  if (response.socket) watchReading(response, response.socket);
  else response.once('socket', (socket: Socket) => watchReading(response, socket));
}

/** Node destroys a socket after its timeout if no listener handles it; every read by the caller restarts the timeout. */
function watchReading(response: ServerResponse, socket: Socket): void {
  socket.setTimeout(MAX_PAUSE_MS);
  // Node has set the timeout of an idle connection by now, unless a pipelined request follows.
  response.once('finish', () => {
    if (socket.timeout === MAX_PAUSE_MS) socket.setTimeout(0);
  });
}

/**
 * Counts the large answers of fastify's routes, all of them texts: files are buffers that all answers share. Only an
 * answer that can be requested again is refused.
 */
export function boundAnswers(app: FastifyInstance, quota: BodyQuota): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isLargeAnswer(payload.length)) return payload;
    if (request.method === 'GET' && reply.statusCode === 200) {
      const lease = quota.admitAnswer(ownerOf(request), payload.length);
      reply.raw.once('close', () => lease.release());
    }
    expectReading(reply.raw);
    // Writing the text and sending it are steps of their own.
    await turnAfter(payload.length);
    return payload;
  });
}
