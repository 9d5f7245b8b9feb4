// The last log entries of this process, for the dashboard and the admin API. It wraps the log that writes lines; a full
// ring overwrites its oldest entry.

import type { Clock } from '../../kernel/clock.ts';
import type { Log, LogEntry, LogLevel, LogType } from '../../kernel/log.ts';

export type RecentEntry = LogEntry & { readonly at: number };

export type LogQuery = {
  readonly type?: LogType;
  readonly level?: LogLevel;
  readonly limit: number;
};

export type LogRing = {
  /** A log that writes through to `next` and records the entry. */
  readonly log: Log;
  /** Newest first. */
  recent(query: LogQuery): readonly RecentEntry[];
  /** Calls the follower with each entry from now on. */
  follow(follower: (entry: RecentEntry) => void): void;
};

/** Served requests are the most frequent entries and the least interesting, so only a few are recorded. */
const MAX_REQUESTS = 100;

export function createLogRing(next: Log, clock: Clock, capacity: number): LogRing {
  const requests = createRing(MAX_REQUESTS);
  const others = createRing(capacity);
  let notifyFollower: ((entry: RecentEntry) => void) | undefined;

  return {
    log: {
      write(entry) {
        next.write(entry);
        if (entry.level === 'debug') return;
        const ring = entry.type === 'request' && entry.level === 'info' ? requests : others;
        const recent = { ...entry, at: clock.now() };
        ring.push(recent);
        notifyFollower?.(recent);
      },
      flush: () => next.flush(),
    },
    recent({ type, level, limit }) {
      return [...requests.entries(), ...others.entries()]
        .filter((entry) => (!type || entry.type === type) && (!level || entry.level === level))
        .sort((a, b) => b.at - a.at)
        .slice(0, limit);
    },
    follow(follower) {
      notifyFollower = follower;
    },
  };
}

type Ring = { push(entry: RecentEntry): void; entries(): readonly RecentEntry[] };

function createRing(capacity: number): Ring {
  const slots: RecentEntry[] = [];
  let next = 0;
  return {
    push(entry) {
      slots[next] = entry;
      next = (next + 1) % capacity;
    },
    /** Newest first, so that a stable sort preserves the order within a millisecond. */
    entries: () => [...slots.slice(next), ...slots.slice(0, next)].toReversed(),
  };
}
