// The last log entries of this process, for an operator who looks at the dashboard or asks over HTTP.
// It wraps the log that writes lines; a full ring forgets its oldest entry.

import type { Clock } from '../../kernel/clock.ts';
import type { Log, LogEntry, LogLevel, LogType } from '../../kernel/log.ts';

export type KeptEntry = LogEntry & { readonly at: number };

export type LogQuery = {
  readonly type?: LogType;
  readonly level?: LogLevel;
  readonly limit: number;
};

export type LogRing = {
  /** A log that writes through to `next` and keeps what it wrote. */
  readonly log: Log;
  /** Newest first. */
  recent(query: LogQuery): readonly KeptEntry[];
  /** Somebody else who keeps entries is told of each from now on. */
  follow(follower: (entry: KeptEntry) => void): void;
};

/** Served requests are most of the entries and the least of the news, so few of them are kept. */
const KEPT_REQUESTS = 100;

export function createLogRing(next: Log, clock: Clock, capacity: number): LogRing {
  const requests = createRing(KEPT_REQUESTS);
  const others = createRing(capacity);
  let tell: ((entry: KeptEntry) => void) | undefined;

  return {
    log: {
      write(entry) {
        next.write(entry);
        if (entry.level === 'debug') return;
        const ring = entry.type === 'request' && entry.level === 'info' ? requests : others;
        const kept = { ...entry, at: clock.now() };
        ring.push(kept);
        tell?.(kept);
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
      tell = follower;
    },
  };
}

type Ring = { push(entry: KeptEntry): void; entries(): readonly KeptEntry[] };

function createRing(capacity: number): Ring {
  const slots: KeptEntry[] = [];
  let next = 0;
  return {
    push(entry) {
      slots[next] = entry;
      next = (next + 1) % capacity;
    },
    /** Newest first, so that a stable sort keeps what happened within one millisecond in order. */
    entries: () => [...slots.slice(next), ...slots.slice(0, next)].toReversed(),
  };
}
