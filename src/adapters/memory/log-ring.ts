// The last log entries of this process, for the dashboard and the admin API. It wraps the log that writes lines; a full
// ring overwrites its oldest entry. Entries of requests have a ring of their own, which holds their encoded lines.

import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { createLineEncoder, decodeLine, type LogSink } from '../../kernel/telemetry/log-line.ts';
import {
  createLogFilter,
  isRequestEntry,
  type LogQuery,
  type RecentEntry,
} from '../../kernel/telemetry/log-query.ts';
import { LineRing } from './line-ring.ts';

export type LogRing = {
  /** A log that writes through to `next` and records the entry. */
  readonly log: Log;
  /** Newest first. */
  recent(query: LogQuery): readonly RecentEntry[];
  /** Calls the follower with each entry from now on. */
  follow(follower: (entry: RecentEntry) => void): void;
};

export type LogRingOptions = {
  /** The capacity of each of the two rings: entries of requests, and all other entries. */
  readonly capacity: number;
  /** The id of this server, which each recorded entry carries. */
  readonly serverId?: string;
};

export function createLogRing(
  next: LogSink,
  clock: Pick<Clock, 'now'>,
  { capacity, serverId }: LogRingOptions,
): LogRing {
  const requests = new LineRing(capacity);
  const others = createRing(capacity);
  const origin = serverId === undefined ? {} : { serverId };
  const encode = createLineEncoder(serverId ?? '');
  let notifyFollower: ((entry: RecentEntry) => void) | undefined;

  return {
    log: {
      write(entry) {
        if (entry.level === 'debug') return next.write(entry);
        const at = clock.now();
        const line = encode(entry, at);
        next.write(entry, line);
        if (isRequestEntry(entry)) requests.push(line);
        else others.push({ ...entry, at, ...origin });
        notifyFollower?.({ ...entry, at, ...origin });
      },
      flush: () => next.flush(),
    },
    recent(query) {
      const served = requests.lines().map((line) => ({ ...decodeLine(line), ...origin }));
      return [...served, ...others.entries()]
        .filter(createLogFilter(query))
        .sort((a, b) => b.at - a.at)
        .slice(0, query.limit);
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
