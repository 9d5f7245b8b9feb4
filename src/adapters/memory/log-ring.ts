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
};

export function createLogRing(next: Log, clock: Clock, capacity: number): LogRing {
  const entries: KeptEntry[] = [];
  let nextIndex = 0;

  return {
    log: {
      write(entry) {
        next.write(entry);
        if (entry.level === 'debug') return;
        entries[nextIndex] = { ...entry, at: clock.now() };
        nextIndex = (nextIndex + 1) % capacity;
      },
      flush: () => next.flush(),
    },
    recent({ type, level, limit }) {
      const found: KeptEntry[] = [];
      for (let back = 1; back <= entries.length && found.length < limit; back += 1) {
        const entry = entries[(nextIndex - back + entries.length) % entries.length];
        if (!entry || (type && entry.type !== type) || (level && entry.level !== level)) continue;
        found.push(entry);
      }
      return found;
    },
  };
}
