// The log as one JSON line per entry on stdout, in the field names that operators filter by. The line is concatenated by
// hand, because there is one per request: a general logger takes five times as long. Lines are written in batches. A line
// that cannot be written is dropped: logging never fails a request.

import { LOG_LEVELS, type Log, type LogEntry, type LogLevel } from '../../kernel/log.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';

const STDOUT = 1;

export type StdoutLogOptions = {
  readonly level: LogLevel | 'silent';
  readonly serverId: string;
  readonly service?: string;
  /** stdout by default; a test passes its own writer. */
  readonly destination?: LineWriter;
};

export function createStdoutLog(options: StdoutLogOptions): Log {
  const destination = options.destination ?? createLineWriter(STDOUT);
  const written = new Set(writtenLevels(options.level));
  const timestamp = createTimestamp();
  const origin = `"service":${JSON.stringify(options.service ?? 'spillway')},"server_id":${JSON.stringify(options.serverId)}`;

  return {
    write(entry) {
      if (!written.has(entry.level)) return;
      destination.write(
        `{"level":"${entry.level}","timestamp":"${timestamp()}",${origin},"log_type":"${entry.type}",${detailsOf(entry)}}\n`,
      );
    },
    flush: () => new Promise((resolve) => destination.flush(resolve)),
  };
}

function writtenLevels(least: LogLevel | 'silent'): readonly LogLevel[] {
  return least === 'silent' ? [] : LOG_LEVELS.slice(LOG_LEVELS.indexOf(least));
}

/** Cached: many lines share a millisecond, and formatting the date is most of a short line's cost. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
}

function detailsOf({ message, requestId, metadata }: LogEntry): string {
  let details = `"message":${JSON.stringify(message)}`;
  if (requestId !== undefined) details += `,"request_id":${JSON.stringify(requestId)}`;
  if (metadata !== undefined) details += `,"metadata":${jsonOf(metadata)}`;
  return details;
}

/** Metadata that cannot be serialized, such as a circular object, is replaced; the entry is still written. */
function jsonOf(metadata: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(metadata);
  } catch {
    return '{"unreadable":true}';
  }
}
