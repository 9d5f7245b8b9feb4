// The provider of a benchmark: a raw TCP server that answers every request with the same bytes, immediately or as a
// stream of events at a fixed interval. It parses only enough HTTP to find the end of a request, so that the machine's
// time goes to the measured process.

import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { z } from 'zod';
import {
  EVENTS_AT_ONCE,
  STREAM_CHUNKS,
  STREAM_END,
  STREAM_HEAD,
  UNARY_ANSWER,
} from './fixed-answers.ts';
import { serveOrders } from './serve-orders.ts';

const Listen = z.object({ intervalMs: z.number().min(0) });

let intervalMs = 5;
let served = 0;
/** Arrival time of each request in milliseconds of this process; recorded only after the order `watch`. */
let callsAt: number[] | undefined;

serveOrders({
  listen(args) {
    intervalMs = Listen.parse(args).intervalMs;
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, answerConnection).on('error', reject);
      server.listen({ host: '127.0.0.1', port: 0, backlog: 2_048 }, () =>
        resolve(server.address()),
      );
    });
  },
  served: () => served,
  /** Starts to record arrival times and drops earlier ones. */
  watch() {
    callsAt = [];
  },
  callsAt: () => callsAt ?? [],
});

function answerConnection(socket: Socket): void {
  let unread: Buffer | undefined;
  let stopStream: (() => void) | undefined;
  socket.on('error', () => socket.destroy());
  socket.on('close', () => stopStream?.());
  socket.on('data', (arrived: Buffer) => {
    const bytes = unread ? Buffer.concat([unread, arrived]) : arrived;
    unread = undefined;
    const bodyAt = completeBodyStart(bytes);
    if (bodyAt === undefined) {
      unread = bytes;
      return;
    }
    served += 1;
    callsAt?.push(performance.now());
    if (wantsStream(bytes, bodyAt)) stopStream = sendStream(socket);
    else socket.write(UNARY_ANSWER);
  });
}

/** The offset of the body, or undefined until the whole request has arrived. */
function completeBodyStart(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', 0, 'latin1');
  if (headEnd < 0) return undefined;
  const length =
    /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1] ?? '0';
  const bodyAt = headEnd + 4;
  return bytes.length >= bodyAt + Number(length) ? bodyAt : undefined;
}

function wantsStream(bytes: Buffer, bodyAt: number): boolean {
  return bytes.indexOf('"stream":true', bodyAt, 'latin1') >= 0;
}

/**
 * Sends the events up to the first content at once and each further event after the interval. A gateway may hold back
 * the status line until there is content, so the first byte arrives with the first content.
 */
function sendStream(socket: Socket): () => void {
  let next = 0;
  socket.cork();
  socket.write(STREAM_HEAD);
  for (let event = 0; event < EVENTS_AT_ONCE; event += 1) sendEvent();
  socket.uncork();
  const timer = setInterval(sendEvent, intervalMs);
  function sendEvent(): void {
    const chunk = STREAM_CHUNKS[next];
    next += 1;
    if (chunk) socket.write(chunk);
    if (next < STREAM_CHUNKS.length) return;
    clearInterval(timer);
    socket.write(STREAM_END);
  }
  return () => clearInterval(timer);
}
