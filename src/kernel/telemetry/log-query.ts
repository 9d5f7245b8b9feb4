// A query of recent log entries, the same for one process and for all servers.

import type { LogEntry, LogLevel, LogType } from '../log.ts';

/** An entry with the time it was written and the server that wrote it. */
export type RecentEntry = LogEntry & { readonly at: number; readonly serverId?: string };

export type LogQuery = {
  readonly type?: LogType | undefined;
  readonly level?: LogLevel | undefined;
  /** A text within the message or the request id; case does not matter. */
  readonly text?: string | undefined;
  readonly server?: string | undefined;
  readonly requestId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** Entries written before this time, in epoch milliseconds. */
  readonly before?: number | undefined;
  readonly limit: number;
};

/** True for an entry with every property that the query states. Made once for each query. */
export function createLogFilter(query: LogQuery): (entry: RecentEntry) => boolean {
  const { type, level, server, requestId, organizationId, before } = query;
  const text = query.text?.toLowerCase();
  return (entry) =>
    (type === undefined || entry.type === type) &&
    (level === undefined || entry.level === level) &&
    (server === undefined || entry.serverId === server) &&
    (requestId === undefined || entry.requestId === requestId) &&
    (organizationId === undefined || entry.metadata?.['organizationId'] === organizationId) &&
    (before === undefined || entry.at < before) &&
    (text === undefined || contains(entry, text));
}

function contains({ message, requestId }: RecentEntry, text: string): boolean {
  return message.toLowerCase().includes(text) || requestId?.toLowerCase().includes(text) === true;
}

/**
 * Requests are by far the most frequent entries. They are stored separately, so that on a busy server they do not displace the
 * entries about limits and failures.
 */
export function isRequestEntry({ type }: Pick<LogEntry, 'type'>): boolean {
  return type === 'request';
}
