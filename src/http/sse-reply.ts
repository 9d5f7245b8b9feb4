// Live answers: server-sent events, for readers that stay. Each has a seat, and seats are bounded for a caller and for
// the process, so that nobody can hold all connections. A reader that is slow is waited for, never buffered for; one
// that says nothing is kept alive by comments, which proxies count as traffic. Told to close, all streams end at
// once: readers come back with the last id they saw, to another server.
// States of a stream: open → ended (by its source, by the reader, or by closing).

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { CancelTimer, Clock } from '../kernel/clock.ts';

export type LiveReplies = {
  /** Answers with the source's events until it ends. Throws CAPACITY_EXHAUSTED while there is no seat. */
  answer(reply: FastifyReply, source: LiveSource): Promise<void>;
  /** Ends every stream and takes no more. Idempotent. */
  close(): Promise<void>;
};

export type LiveEvent = { readonly id: number; readonly data: unknown };

export type LiveSource = {
  /** Who is counted: the organisation. */
  readonly caller: string;
  open(signal: AbortSignal): AsyncIterable<readonly LiveEvent[]>;
};

export type LiveLimits = { readonly perCaller: number; readonly inAll: number };

const SEATS: LiveLimits = { perCaller: 100, inAll: 2000 };
const HEARTBEAT_MS = 15_000;
const NO_SEAT_MS = 5000;

export function createLiveReplies(clock: Clock, limits: LiveLimits = SEATS): LiveReplies {
  const seats = new Map<string, number>();
  const open = new Map<AbortController, Promise<void>>();
  let isClosed = false;

  function takeSeat(caller: string): () => void {
    const taken = seats.get(caller) ?? 0;
    if (isClosed || taken >= limits.perCaller || open.size >= limits.inAll) throw noSeat();
    seats.set(caller, taken + 1);
    return () => {
      const left = (seats.get(caller) ?? 1) - 1;
      if (left === 0) seats.delete(caller);
      else seats.set(caller, left);
    };
  }

  return {
    async answer(reply, source) {
      const leave = takeSeat(source.caller);
      const leaving = new AbortController();
      const response = startStream(reply);
      response.once('close', () => leaving.abort());
      // A reader that left before its answer began closes nothing any more.
      if (response.destroyed) leaving.abort();
      const streaming = stream(response, source.open(leaving.signal), leaving.signal, clock);
      open.set(leaving, streaming);
      await streaming;
      open.delete(leaving);
      leave();
    },
    async close() {
      isClosed = true;
      const streams = [...open.values()];
      for (const leaving of open.keys()) leaving.abort();
      await Promise.all(streams);
    },
  };
}

/** Whether a request asks for events as they happen. */
export function wantsStream(request: FastifyRequest): boolean {
  return /\btext\/event-stream\b/i.test(request.headers.accept ?? '');
}

/** The last id a reader has seen, when it comes back; undefined when it names none or nothing that we gave out. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const id = request.headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

function startStream(reply: FastifyReply): ServerResponse {
  // What the framework would have sent: our own headers, such as the request's id.
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  raw.write('retry: 2000\n\n');
  return raw;
}

/** Never rejects: the status is said, and a reader that finds its stream cut comes back by itself. */
async function stream(
  response: ServerResponse,
  pages: AsyncIterable<readonly LiveEvent[]>,
  signal: AbortSignal,
  clock: Clock,
): Promise<void> {
  const endHeartbeat = beat(response, clock);
  try {
    for await (const page of pages) await writePage(response, page, signal);
  } catch {
    // What broke it is told where it broke; here the stream just ends, without pretending to be whole.
  }
  endHeartbeat();
  response.end();
}

async function writePage(
  response: ServerResponse,
  page: readonly LiveEvent[],
  signal: AbortSignal,
): Promise<void> {
  const text = page.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  if (signal.aborted || response.write(text)) return;
  await once(response, 'drain', { signal });
}

function beat(response: ServerResponse, clock: Clock): CancelTimer {
  let cancel = clock.after(HEARTBEAT_MS, tick);
  function tick(): void {
    // Behind what the reader has not taken yet a comment would only be one thing more.
    if (!response.writableNeedDrain) response.write(': still here\n\n');
    cancel = clock.after(HEARTBEAT_MS, tick);
  }
  return () => cancel();
}

function noSeat(): SpillwayError {
  const params = { retryAfterMs: NO_SEAT_MS };
  return new SpillwayError('CAPACITY_EXHAUSTED', 'too many live readers', { params });
}
