// Log over pino: one JSON line per entry on stdout, in the field names operators filter by. Lines are
// gathered and written a few times a second, because a write per line would cost more than the request.
// A line that cannot be written is dropped: logging never fails the work it tells of.

import pino from 'pino';
import type { Log, LogEntry, LogLevel } from '../../kernel/log.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';

const STDOUT = 1;

/** pino counts upward; `critical` is our name for its `fatal`. */
const LEVEL_VALUES: Record<LogLevel, number> = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  critical: 60,
};

export type PinoLogOptions = {
  readonly level: LogLevel | 'silent';
  readonly serverId: string;
  readonly service?: string;
  /** Where lines go; stdout unless a test wants to read them. */
  readonly destination?: LineWriter;
};

export function createPinoLog(options: PinoLogOptions): Log {
  const destination = options.destination ?? createLineWriter(STDOUT);
  const logger = pino<LogLevel>(
    {
      level: options.level,
      customLevels: LEVEL_VALUES,
      useOnlyCustomLevels: true,
      base: { service: options.service ?? 'spillway', server_id: options.serverId },
      messageKey: 'message',
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

  return {
    write(entry) {
      logger[entry.level](fieldsOf(entry), entry.message);
    },
    flush: () => new Promise((resolve) => destination.flush(resolve)),
  };
}

/** Many lines share a millisecond; writing the date out is most of the cost of a short line. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let field = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      field = `,"timestamp":"${new Date(nowMs).toISOString()}"`;
    }
    return field;
  };
}

function fieldsOf(entry: LogEntry): Record<string, unknown> {
  return { log_type: entry.type, request_id: entry.requestId, metadata: entry.metadata };
}
