// The live stream of the dashboard: one reading a second while there are viewers, written as the same bytes to all of them. A
// viewer that does not read is skipped, not buffered: every event is the whole state. The number of viewers is bounded. On
// close every stream ends, and browsers reconnect to another server.
// States of a viewer: open → ended (it leaves, its session ends, or close).

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import { startEventStream } from './start-event-stream.ts';

export type LiveBroadcast = {
  /** Adds a viewer. `isAllowed` is asked again while the stream lasts. Throws CAPACITY_EXHAUSTED for one too many. */
  add(reply: FastifyReply, isAllowed: () => boolean): void;
  viewers(): number;
  /** Ends all streams and refuses new ones. Idempotent. */
  close(): Promise<void>;
};

export type BroadcastParts = {
  /** The JSON of the state. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  readonly maxViewers?: number;
};

const INTERVAL_MS = 1000;
const DEFAULT_MAX_VIEWERS = 200;
const RETRY_AFTER_MS = 5000;
/** A session may expire and an admin key may be replaced while a page is open. */
const CHECK_EVERY = 15;
/** After this many intervals without an event a comment keeps the connection open. */
const COMMENT_EVERY = 15;

type Viewer = { readonly response: ServerResponse; readonly isAllowed: () => boolean };

export function createLiveBroadcast(parts: BroadcastParts): LiveBroadcast {
  const { clock, read, maxViewers = DEFAULT_MAX_VIEWERS } = parts;
  const viewers = new Set<Viewer>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let latest: Buffer | undefined;

  function end(viewer: Viewer): void {
    if (viewers.delete(viewer)) viewer.response.end();
  }

  function send(bytes: Buffer): void {
    for (const { response } of viewers) if (!response.writableNeedDrain) response.write(bytes);
  }

  async function run(): Promise<void> {
    for (let turn = 1; viewers.size > 0 && !closing.signal.aborted; turn += 1) {
      const event = await read().then(toEvent, () => undefined);
      latest = event ?? latest;
      if (event) send(event);
      else if (turn % COMMENT_EVERY === 0) send(COMMENT);
      if (turn % CHECK_EVERY === 0)
        for (const viewer of viewers) if (!viewer.isAllowed()) end(viewer);
      await sleep(clock, INTERVAL_MS, closing.signal).catch(() => {});
    }
    running = undefined;
    latest = undefined;
  }

  return {
    viewers: () => viewers.size,
    add(reply, isAllowed) {
      if (closing.signal.aborted || viewers.size >= maxViewers) throw tooMany();
      const response = startEventStream(reply, 'no-store');
      if (reply.request.method === 'HEAD') return void response.end();
      const viewer = { response, isAllowed };
      response.once('close', () => viewers.delete(viewer));
      if (response.destroyed) return;
      viewers.add(viewer);
      if (latest) response.write(latest);
      running ??= run();
    },
    async close() {
      closing.abort();
      for (const viewer of viewers) end(viewer);
      await running;
    },
  };
}

const COMMENT = Buffer.from(': keep-alive\n\n');

function toEvent(json: string): Buffer {
  return Buffer.from(`event: state\ndata: ${json}\n\n`);
}

function tooMany(): SpillwayError {
  const params = { retryAfterMs: RETRY_AFTER_MS };
  return new SpillwayError('CAPACITY_EXHAUSTED', 'too many viewers of the dashboard', { params });
}
