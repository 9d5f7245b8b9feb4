// Opens the log: the last entries in memory for operators, and all entries on stdout or at a destination of the program that
// embeds the gateway.

import { createLogRing, type LogRing } from '../adapters/memory/log-ring.ts';
import { createStdoutLog } from '../adapters/stdout/log.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';

const LOG_RING_ENTRIES = 1000;

export type LogContext = {
  readonly serverId: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** In place of stdout. */
  readonly lines: Log | undefined;
};

export function openLog({ log }: Config, context: LogContext): LogRing {
  const { serverId, clock, lifecycle } = context;
  const lines = context.lines ?? createStdoutLog({ level: log.level, serverId });
  const ring = createLogRing(lines, clock, { capacity: LOG_RING_ENTRIES, serverId });
  lifecycle.onClose('log', () => ring.log.flush());
  return ring;
}
