// Server-sent events. Each stream takes a slot; slots are bounded per organisation and per process, so that no caller
// can take all connections. A slow reader gets back-pressure instead of a buffer. Comments keep an idle stream open,
// because proxies count them as traffic. On close all streams end at once: readers reconnect to another server with the
// last id they received.
// States of a stream: open → ended (by its source, by the reader, or by close).

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import { every } from '../kernel/every.ts';
import { TurnQueue } from '../kernel/next-turn.ts';
import { startEventStream } from './live/start-event-stream.ts';

export type LiveReplies = {
  /** Streams the source's events until it ends. Throws CAPACITY_EXHAUSTED without a free slot. */
  answer(reply: FastifyReply, source: LiveSource): Promise<void>;
  /** Ends every stream and refuses new ones. Idempotent. */
  close(): Promise<void>;
};

export type LiveEvent = { readonly id: number; readonly data: unknown };

export type LiveSource = {
  /** The organisation that the slot counts for. */
  readonly caller: string;
  open(signal: AbortSignal): AsyncIterable<readonly LiveEvent[]>;
};

export type LiveLimits = { readonly perCaller: number; readonly total: number };

const DEFAULT_LIMITS: LiveLimits = { perCaller: 100, total: 2000 };
const HEARTBEAT_MS = 15_000;
const RETRY_AFTER_MS = 5000;

export function createLiveReplies(clock: Clock, limits: LiveLimits = DEFAULT_LIMITS): LiveReplies {
  const taken = new Map<string, number>();
  const open = new Map<AbortController, Promise<void>>();
  // Neither the embedded store nor a socket with space needs another turn: many readers of long streams would block the process.
  const turns = new TurnQueue(1);
  const terms = { clock, turn: () => turns.turn() };
  let isClosed = false;

  function acquireSlot(caller: string): () => void {
    const count = taken.get(caller) ?? 0;
    if (isClosed || count >= limits.perCaller || open.size >= limits.total) throw noSlot();
    taken.set(caller, count + 1);
    return () => {
      const left = (taken.get(caller) ?? 1) - 1;
      if (left === 0) taken.delete(caller);
      else taken.set(caller, left);
    };
  }

  return {
    async answer(reply, source) {
      // A HEAD request learns that a stream would begin, and takes no slot.
      if (reply.request.method === 'HEAD') return void startEventStream(reply, 'no-cache').end();
      const release = acquireSlot(source.caller);
      const leaving = new AbortController();
      const response = startEventStream(reply, 'no-cache');
      response.once('close', () => leaving.abort());
      // A response destroyed before this point emits no further `close`.
      if (response.destroyed) leaving.abort();
      const streaming = stream(response, source.open(leaving.signal), leaving.signal, terms);
      open.set(leaving, streaming);
      await streaming;
      open.delete(leaving);
      release();
    },
    async close() {
      isClosed = true;
      const streams = [...open.values()];
      for (const leaving of open.keys()) leaving.abort();
      await Promise.all(streams);
    },
  };
}

/** Whether a request asks for server-sent events. */
export function wantsStream(request: FastifyRequest): boolean {
  return /\btext\/event-stream\b/i.test(request.headers.accept ?? '');
}

/** The last id that a reconnecting reader received; undefined without the header or with an invalid id. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const id = request.headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Never rejects: the status line was sent, and a reader reconnects after a broken stream. */
async function stream(
  response: ServerResponse,
  pages: AsyncIterable<readonly LiveEvent[]>,
  signal: AbortSignal,
  { clock, turn }: { readonly clock: Clock; readonly turn: () => Promise<void> },
): Promise<void> {
  const heartbeat = every(clock, HEARTBEAT_MS, () => keepAlive(response));
  try {
    for await (const page of pages) await writePage(response, page, signal, turn);
  } catch {
    // The source logs its own failures; the stream ends without an end event.
  }
  await heartbeat.close();
  response.end();
}

async function writePage(
  response: ServerResponse,
  page: readonly LiveEvent[],
  signal: AbortSignal,
  turn: () => Promise<void>,
): Promise<void> {
  const text = page.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  if (signal.aborted) return;
  if (!response.write(text)) await once(response, 'drain', { signal });
  if (text.length > LARGE_PAGE_CHARACTERS) await turn();
}

const LARGE_PAGE_CHARACTERS = 16 * 1024;

/** Under back-pressure the unread bytes keep the connection busy; a comment would only add to them. */
function keepAlive(response: ServerResponse): void {
  if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
}

function noSlot(): SpillwayError {
  const params = { retryAfterMs: RETRY_AFTER_MS };
  return new SpillwayError('CAPACITY_EXHAUSTED', 'too many open event streams', { params });
}
