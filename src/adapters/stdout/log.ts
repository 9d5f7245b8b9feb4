// The log as one JSON line per entry on stdout. Lines are written in batches. A line that cannot be written is dropped:
// logging never fails a request.

import { LOG_LEVELS, type LogLevel } from '../../kernel/log.ts';
import { createLineEncoder, type LogSink } from '../../kernel/telemetry/log-line.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';

const STDOUT = 1;

export type StdoutLogOptions = {
  readonly level: LogLevel | 'silent';
  readonly serverId: string;
  /** stdout by default; a test passes its own writer. */
  readonly destination?: LineWriter;
};

export function createStdoutLog({ level, serverId, ...options }: StdoutLogOptions): LogSink {
  const destination = options.destination ?? createLineWriter(STDOUT);
  const written = new Set(writtenLevels(level));
  const encode = createLineEncoder(serverId);
  return {
    write(entry, line) {
      if (written.has(entry.level)) destination.write(line ?? encode(entry, Date.now()));
    },
    flush: () => new Promise((resolve) => destination.flush(resolve)),
  };
}

function writtenLevels(least: LogLevel | 'silent'): readonly LogLevel[] {
  return least === 'silent' ? [] : LOG_LEVELS.slice(LOG_LEVELS.indexOf(least));
}
