// The last log entries of all servers, in one list on Redis, newest first, in the fields of the lines on stdout.
// Entries are gathered and sent a few times a second, far from any request. What cannot be sent is dropped: while Redis
// is away the newest wait, as many as would be kept anyway. Nothing here is logged, which would only make more of it.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { LogLevel, LogType } from '../../kernel/log.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { decodeEntry, encodeEntry, type SharedEntry } from './log-line.ts';

export type LogList = {
  /** Never waits and never throws. */
  push(entry: SharedEntry): void;
  /** Newest first. Rejects when Redis is away. */
  recent(query: {
    readonly type?: LogType | undefined;
    readonly level?: LogLevel | undefined;
    readonly limit: number;
  }): Promise<readonly SharedEntry[]>;
  /** Sends what has been gathered, if Redis is there. */
  close(): Promise<void>;
};

export type LogListParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly serverId: string;
  readonly maxEntries: number;
};

export const LOG_LIST_KEY = 'server:logs';
const GATHER_MS = 250;
const MAX_WAITING = 1000;
/** Read a page at a time, so that a long list does not hold up Redis. */
const PAGE = 500;

export function createLogList({ link, clock, serverId, maxEntries }: LogListParts): LogList {
  const mostWaiting = Math.min(maxEntries, MAX_WAITING);
  let waiting: SharedEntry[] = [];
  let cancelTimer: CancelTimer | undefined;
  let sending: Promise<void> | undefined;
  let isClosed = false;

  async function send(): Promise<void> {
    if (!link.isUp() || waiting.length === 0) return;
    const lines = waiting.map((entry) => encodeEntry(entry, serverId));
    waiting = [];
    try {
      await link.runPatiently((redis) =>
        redis
          .multi()
          .lpush(LOG_LIST_KEY, ...lines)
          .ltrim(LOG_LIST_KEY, 0, maxEntries - 1)
          .exec(),
      );
    } catch {
      // It may have been done: sending them again could show them twice.
    }
  }

  async function sendInTurn(): Promise<void> {
    await send();
    sending = undefined;
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    if (isClosed || sending) return;
    cancelTimer ??= clock.after(GATHER_MS, () => {
      cancelTimer = undefined;
      sending = Promise.resolve().then(sendInTurn);
    });
  }

  return {
    push(entry) {
      waiting.push(entry);
      // Twice as many may gather before the older half goes: one at a time would move them all each time.
      if (waiting.length > 2 * mostWaiting) waiting = waiting.slice(-mostWaiting);
      schedule();
    },
    async recent({ type, level, limit }) {
      const found: SharedEntry[] = [];
      let page: string[] = [];
      for (let start = 0; start < maxEntries && found.length < limit; start += PAGE) {
        const before = new Set(page);
        page = await link.runPatiently((redis) =>
          redis.lrange(LOG_LIST_KEY, start, start + PAGE - 1),
        );
        // What was added meanwhile has moved the end of the last page onto this one.
        for (const line of page) {
          const entry = before.has(line) ? undefined : decodeEntry(line);
          if (!entry || (type && entry.type !== type) || (level && entry.level !== level)) continue;
          found.push(entry);
        }
        if (page.length < PAGE) break;
      }
      return found.slice(0, limit);
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      await sending;
      await send();
    },
  };
}
