// Follows a list of events until its last one: live by server-sent events, resumed by the last id after every break (a lost
// network, a restarted server, a sleeping tab). Where streams do not get through, because a proxy buffers or answers JSON,
// the list is polled, and a stream is tried again from time to time.
// States: connecting → live ⇄ reconnecting → ended; after two streams without an event: polling ⇄ reconnecting → ended.
// A refusal that no retry can resolve ends it with a FollowError.

import { after, now, onWake } from './browser-clock.ts';
import { waitUntil } from './countdown.ts';
import { readEvents } from './event-stream.ts';
import {
  clockSkew,
  connectionLost,
  type Failure,
  isRecord,
  parseJson,
  readFailure,
} from './failure.ts';
import { backoffMs, type ClientOptions, requestHeaders } from './send.ts';

/** The state of a followed list of events. */
export type Connection = 'connecting' | 'live' | 'polling' | 'reconnecting';

/** The options that followers of jobs and builds share. */
export type FollowOptions = ClientOptions & {
  /** The id of the last event that is known; the events after it are read. */
  readonly after?: number;
  readonly onConnection?: (connection: Connection) => void;
};

export type Followed = {
  /** Returns whether the event is the last of its list, unless another follows. */
  onEvent(event: Readonly<Record<string, unknown>>, skewMs: number): boolean;
};

/** The events cannot be read: the failure says why. */
export class FollowError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A comment comes every 15 s; three missing ones mean a dead connection. */
const MAX_SILENCE_MS = 45_000;
/** A stream must send its first bytes within this time; a proxy that buffers them breaks streaming. */
const MAX_FIRST_SILENCE_MS = 10_000;
/** After a wake-up, a silence longer than one comment's interval is enough to doubt a connection. */
const MAX_SILENCE_ON_WAKE_MS = 20_000;
const POLL_MS = 3000;
const STREAM_MISSES = 2;
const POLLS_PER_STREAM = 20;

type Turn = {
  readonly isEnded?: boolean;
  readonly failure?: Failure;
  readonly delayMs?: number | undefined;
};

/** Resolves after the last event; rejects with a FollowError, or with the signal's reason. */
export async function follow(url: string, source: Followed, options: FollowOptions): Promise<void> {
  const { signal, onConnection } = options;
  const position = { after: options.after ?? 0, isLast: false, isHeard: false };
  onConnection?.('connecting');
  for (let misses = 0; ; misses += 1) {
    position.isHeard = false;
    const isPolling = misses >= STREAM_MISSES && misses % POLLS_PER_STREAM > 0;
    const { isEnded, failure, delayMs } = await read(
      url,
      isPolling,
      position,
      source,
      options,
    ).catch((): Turn => ({ failure: connectionLost() }));
    signal?.throwIfAborted();
    if (isEnded) return;
    if (failure && !failure.retryable) throw new FollowError(failure);
    if (position.isHeard) misses = 0;
    if (failure || !isPolling) onConnection?.('reconnecting');
    const delay = delayMs ?? backoffMs(misses + 1);
    await pause(failure?.retryAt ?? now() + delay, failure?.retryAt !== undefined, options);
    signal?.throwIfAborted();
  }
}

/** A wake-up ends a pause early, unless the server has stated its length. */
async function pause(until: number, isStated: boolean, options: FollowOptions): Promise<void> {
  const { signal } = options;
  const early = new AbortController();
  const endWakes = onWake(() => isStated || early.abort());
  await waitUntil(until, { signal: either(early.signal, signal) }).catch(() => {});
  endWakes();
}

function either(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second ? AbortSignal.any([first, second]) : first;
}

/** `isHeard`: the latest stream has sent bytes, so streams get through. */
type Position = { after: number; isLast: boolean; isHeard: boolean };

/** Reads a stream to its end, or a page of the list, whichever the server answers. */
async function read(
  url: string,
  isPolling: boolean,
  position: Position,
  source: Followed,
  options: FollowOptions,
): Promise<Turn> {
  const { fetch: request = fetch, onConnection } = options;
  const watchdog = watchSilence(options.signal);
  const lastId = String(position.after);
  try {
    const response = await request(`${url}${url.includes('?') ? '&' : '?'}after=${lastId}`, {
      headers: {
        ...requestHeaders(options),
        accept: isPolling ? 'application/json' : 'text/event-stream',
        'last-event-id': lastId,
      },
      cache: 'no-store',
      signal: watchdog.signal,
    });
    if (!response.ok) return { failure: await refusalOf(response) };
    if (response.status === 204) return { isEnded: true };
    const { headers, body } = response;
    const skewMs = clockSkew(headers);
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) {
      onConnection?.('polling');
      return takePage(await response.json(), position, source, skewMs);
    }
    let delayMs: number | undefined;
    onConnection?.('live');
    const hooks = {
      onChunk() {
        position.isHeard = true;
        watchdog.heard();
      },
      onRetry(ms: number) {
        delayMs = ms;
      },
    };
    for await (const { data } of readEvents(body, hooks))
      take(parseJson(data), position, source, skewMs);
    // The server ends the stream after the last event, and when it stops.
    return { isEnded: position.isLast, delayMs };
  } finally {
    watchdog.end();
  }
}

async function refusalOf(response: Response): Promise<Failure> {
  const { status, headers } = response;
  const failure = readFailure(await response.text(), { status, headers });
  // A server that starts or stops, or a proxy in front of it, answers 5xx for a while.
  return status >= 500 ? { ...failure, retryable: true } : failure;
}

function takePage(page: unknown, position: Position, source: Followed, skewMs: number): Turn {
  const { data, nextCursor } = isRecord(page) ? page : {};
  const before = position.after;
  for (const event of Array.isArray(data) ? data : []) take(event, position, source, skewMs);
  const isWhole = typeof nextCursor !== 'string' || position.after === before;
  return { isEnded: isWhole && position.isLast, delayMs: isWhole ? POLL_MS : 0 };
}

/** Drops repeated events: an event comes again when the connection broke before its id was read. */
function take(event: unknown, position: Position, source: Followed, skewMs: number): void {
  if (!isRecord(event) || typeof event['id'] !== 'number' || event['id'] <= position.after) return;
  position.after = event['id'];
  position.isLast = source.onEvent(event, skewMs);
}

/** Aborts a connection that is silent for too long: a network that vanished closes nothing. */
function watchSilence(outer: AbortSignal | undefined) {
  const silent = new AbortController();
  let heardAt = now();
  let cancelTimer = after(MAX_FIRST_SILENCE_MS, () => silent.abort());
  const endWakes = onWake(() => {
    if (now() - heardAt > MAX_SILENCE_ON_WAKE_MS) silent.abort();
  });
  return {
    signal: either(silent.signal, outer),
    heard(): void {
      heardAt = now();
      cancelTimer();
      cancelTimer = after(MAX_SILENCE_MS, () => silent.abort());
    },
    end(): void {
      cancelTimer();
      endWakes();
    },
  };
}
