// A log entry as one line of JSON, with the field names of the lines on stdout.

import { z } from 'zod';
import { LOG_LEVELS, LOG_TYPES } from '../../kernel/log.ts';
import type { RecentEntry } from '../../kernel/telemetry/log-query.ts';

export function encodeEntry(entry: RecentEntry, serverId: string): string {
  const { at, level, type, message, requestId, metadata } = entry;
  const fields = {
    level,
    timestamp: new Date(at).toISOString(),
    service: 'spillway',
    server_id: serverId,
    log_type: type,
    message,
    request_id: requestId,
  };
  try {
    return JSON.stringify({ ...fields, metadata });
  } catch {
    // Metadata that JSON cannot express (a bigint, a cycle) is left out.
    return JSON.stringify(fields);
  }
}

const line = z.object({
  level: z.enum(LOG_LEVELS),
  timestamp: z.iso.datetime(),
  server_id: z.string().optional(),
  log_type: z.enum(LOG_TYPES),
  message: z.string(),
  request_id: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Undefined for a line in another format. */
export function decodeEntry(text: string): RecentEntry | undefined {
  const { data } = line.safeParse(parseJson(text));
  if (!data) return undefined;
  const { level, timestamp, log_type: type, message, metadata } = data;
  return {
    at: Date.parse(timestamp),
    level,
    type,
    message,
    ...(data.server_id === undefined ? {} : { serverId: data.server_id }),
    ...(data.request_id === undefined ? {} : { requestId: data.request_id }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
