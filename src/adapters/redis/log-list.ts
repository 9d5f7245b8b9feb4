// The recent log entries of all servers in two Redis lists, one for requests and one for all other entries, so that a busy
// cluster does not flush its limits and failures. Both are newest first, with the fields of the lines on stdout. Entries are
// sent in batches a few times a second, apart from any request. While Redis is unavailable the newest entries wait, up to a
// bound; a batch that fails is dropped. Nothing here is logged, because each entry would cause another.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import {
  createLogFilter,
  isRequestEntry,
  type LogQuery,
  type RecentEntry,
} from '../../kernel/telemetry/log-query.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { decodeEntry, encodeEntry } from './log-line.ts';

export type LogList = {
  /** Synchronous, never throws. */
  push(entry: RecentEntry): void;
  /** Newest first. Rejects while Redis is unavailable. */
  recent(query: LogQuery): Promise<readonly RecentEntry[]>;
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
export const REQUEST_LIST_KEY = 'server:logs:requests';
const BATCH_MS = 250;
const MAX_WAITING = 1000;
/** A long list is read in pages, so that no command blocks Redis for long. */
const PAGE = 500;

export function createLogList({ link, clock, serverId, maxEntries }: LogListParts): LogList {
  const maxWaiting = Math.min(maxEntries, MAX_WAITING);
  const lists = [createWaitingList(REQUEST_LIST_KEY), createWaitingList(LOG_LIST_KEY)] as const;
  const [requests, others] = lists;
  let cancelTimer: CancelTimer | undefined;
  let sending: Promise<void> | undefined;
  let isClosed = false;

  function takeWaiting(list: WaitingList): { readonly key: string; readonly lines: string[] } {
    const lines = list.entries.map((entry) => encodeEntry(entry, serverId));
    list.entries = [];
    return { key: list.key, lines };
  }

  async function send(): Promise<void> {
    const batches = link.isUp()
      ? lists.map(takeWaiting).filter(({ lines }) => lines.length > 0)
      : [];
    if (batches.length === 0) return;
    try {
      await link.runInBackground((redis) => {
        const transaction = redis.multi();
        for (const { key, lines } of batches)
          transaction.lpush(key, ...lines).ltrim(key, 0, maxEntries - 1);
        return transaction.exec();
      });
    } catch {
      // Redis may have run it: sending the batch again could duplicate entries.
    }
  }

  async function sendInTurn(): Promise<void> {
    await send();
    sending = undefined;
    if (lists.some(({ entries }) => entries.length > 0)) schedule();
  }

  function schedule(): void {
    if (isClosed || sending) return;
    cancelTimer ??= clock.after(BATCH_MS, () => {
      cancelTimer = undefined;
      sending = Promise.resolve().then(sendInTurn);
    });
  }

  async function readList(key: string, query: LogQuery): Promise<readonly RecentEntry[]> {
    const { limit } = query;
    const isWanted = createLogFilter(query);
    const found: RecentEntry[] = [];
    let page: string[] = [];
    for (let start = 0; start < maxEntries && found.length < limit; start += PAGE) {
      const before = new Set(page);
      page = await link.runInBackground((redis) => redis.lrange(key, start, start + PAGE - 1));
      // Entries pushed meanwhile have moved the end of the last page onto this one.
      for (const line of page) {
        const entry = before.has(line) ? undefined : decodeEntry(line);
        if (entry && isWanted(entry)) found.push(entry);
      }
      if (page.length < PAGE) break;
    }
    return found.slice(0, limit);
  }

  return {
    push(entry) {
      const list = isRequestEntry(entry) ? requests : others;
      list.entries.push(entry);
      // Trimming at twice the bound amortises the copy.
      if (list.entries.length > 2 * maxWaiting) list.entries = list.entries.slice(-maxWaiting);
      schedule();
    },
    async recent(query) {
      const { type, limit } = query;
      const read = lists.filter(
        (list) => type === undefined || (list === requests) === isRequestEntry({ type }),
      );
      const found = await Promise.all(read.map(({ key }) => readList(key, query)));
      return found
        .flat()
        .sort((a, b) => b.at - a.at)
        .slice(0, limit);
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      await sending;
      await send();
    },
  };
}

/** The entries that wait to be sent to one list. */
type WaitingList = { readonly key: string; entries: RecentEntry[] };

function createWaitingList(key: string): WaitingList {
  return { key, entries: [] };
}
