// The recent log entries of all servers, in one Redis list, newest first, with the fields of the lines on stdout. Entries are
// sent in batches a few times a second, apart from any request. While Redis is unavailable the newest entries wait, up to a
// bound; a batch that fails is dropped. Nothing here is logged, because each entry would cause another.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { LogLevel, LogType } from '../../kernel/log.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { decodeEntry, encodeEntry, type SharedEntry } from './log-line.ts';

export type LogList = {
  /** Synchronous, never throws. */
  push(entry: SharedEntry): void;
  /** Newest first. Rejects while Redis is unavailable. */
  recent(query: {
    readonly type?: LogType | undefined;
    readonly level?: LogLevel | undefined;
    readonly limit: number;
  }): Promise<readonly SharedEntry[]>;
  /** Flushes the waiting entries if Redis is available. */
  close(): Promise<void>;
};

export type LogListParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly serverId: string;
  readonly maxEntries: number;
};

export const LOG_LIST_KEY = 'server:logs';
const BATCH_MS = 250;
const MAX_WAITING = 1000;
/** A long list is read in pages, so that no command blocks Redis for long. */
const PAGE = 500;

export function createLogList({ link, clock, serverId, maxEntries }: LogListParts): LogList {
  const maxWaiting = Math.min(maxEntries, MAX_WAITING);
  let waiting: SharedEntry[] = [];
  let cancelTimer: CancelTimer | undefined;
  let sending: Promise<void> | undefined;
  let isClosed = false;

  async function send(): Promise<void> {
    if (!link.isUp() || waiting.length === 0) return;
    const lines = waiting.map((entry) => encodeEntry(entry, serverId));
    waiting = [];
    try {
      await link.runInBackground((redis) =>
        redis
          .multi()
          .lpush(LOG_LIST_KEY, ...lines)
          .ltrim(LOG_LIST_KEY, 0, maxEntries - 1)
          .exec(),
      );
    } catch {
      // Redis may have run it: sending the batch again could duplicate entries.
    }
  }

  async function sendInTurn(): Promise<void> {
    await send();
    sending = undefined;
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    if (isClosed || sending) return;
    cancelTimer ??= clock.after(BATCH_MS, () => {
      cancelTimer = undefined;
      sending = Promise.resolve().then(sendInTurn);
    });
  }

  return {
    push(entry) {
      waiting.push(entry);
      // Trimming at twice the bound amortises the copy.
      if (waiting.length > 2 * maxWaiting) waiting = waiting.slice(-maxWaiting);
      schedule();
    },
    async recent({ type, level, limit }) {
      const found: SharedEntry[] = [];
      let page: string[] = [];
      for (let start = 0; start < maxEntries && found.length < limit; start += PAGE) {
        const before = new Set(page);
        page = await link.runInBackground((redis) =>
          redis.lrange(LOG_LIST_KEY, start, start + PAGE - 1),
        );
        // Entries pushed meanwhile have moved the end of the last page onto this one.
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
