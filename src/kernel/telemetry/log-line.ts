// A log entry as one JSON line, in the field names that operators filter by. The line is concatenated by hand, because there
// is one per request: a general logger takes five times as long.

import type { Log, LogEntry } from '../log.ts';
import type { RecentEntry } from './log-query.ts';

/** A log that also accepts an already encoded line, so that an entry is encoded once. */
export type LogSink = Omit<Log, 'write'> & { write(entry: LogEntry, line?: string): void };

/** With its line end. `now` is in epoch milliseconds. */
export type EncodeLine = (entry: LogEntry, now: number) => string;

export function createLineEncoder(serverId: string): EncodeLine {
  const timestampOf = createTimestamp();
  const origin = `"service":"spillway","server_id":${JSON.stringify(serverId)}`;
  return (entry, now) =>
    `{"level":"${entry.level}","timestamp":"${timestampOf(now)}",${origin},"log_type":"${entry.type}",${detailsOf(entry)}}\n`;
}

/** Reads back a line of the encoder, without its service and server. */
export function decodeLine(line: string): RecentEntry {
  const fields = JSON.parse(line) as EncodedFields;
  return {
    level: fields.level,
    type: fields.log_type,
    message: fields.message,
    ...(fields.request_id === undefined ? {} : { requestId: fields.request_id }),
    ...(fields.metadata === undefined ? {} : { metadata: fields.metadata }),
    at: Date.parse(fields.timestamp),
  };
}

type EncodedFields = {
  readonly level: LogEntry['level'];
  readonly log_type: LogEntry['type'];
  readonly timestamp: string;
  readonly message: string;
  readonly request_id?: string;
  readonly metadata?: LogEntry['metadata'];
};

/** Cached: many lines share a millisecond, and formatting the date is most of a short line's cost. */
function createTimestamp(): (nowMs: number) => string {
  let lastMs = Number.NaN;
  let text = '';
  return (nowMs) => {
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
