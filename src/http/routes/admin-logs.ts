// GET /admin/logs: the last log entries, for operators without access to stdout. `nextCursor` is the value of `before` for
// the next page.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { LOG_LEVELS, LOG_TYPES } from '../../kernel/log.ts';
import type { LogQuery, RecentEntry } from '../../kernel/telemetry/log-query.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageOf } from '../paging.ts';
import { adminGuard, adminSchema, moment } from '../schemas/admin.ts';

export type RecentLog = {
  /** Newest first. Undefined if entries are not stored. */
  recent(query: LogQuery): Awaitable<readonly RecentEntry[] | undefined>;
};

type Awaitable<T> = T | Promise<T>;

const MAX_ENTRIES = 1000;

const entryView = z.object({
  at: moment,
  level: z.enum(LOG_LEVELS),
  type: z.enum(LOG_TYPES),
  message: z.string(),
  requestId: z.string().optional(),
  serverId: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export function adminLogRoutes(log: RecentLog, gate: Pick<Gate, 'requireAdmin'>): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/logs',
      {
        ...adminGuard(gate),
        schema: adminSchema('The last log entries, newest first', {
          querystring: z.object({
            type: z.enum(LOG_TYPES).optional(),
            level: z.enum(LOG_LEVELS).optional(),
            text: z
              .string()
              .min(1)
              .max(200)
              .optional()
              .describe('A text within the message or the request id; case does not matter'),
            server: z.string().min(1).max(200).optional().describe('The id of a server'),
            requestId: z.string().min(1).max(200).optional(),
            organizationId: z.string().min(1).max(200).optional(),
            before: z.coerce
              .number()
              .int()
              .min(0)
              .optional()
              .describe('Entries written before this time, epoch milliseconds'),
            limit: z.coerce.number().int().min(1).max(MAX_ENTRIES).default(100),
          }),
          response: {
            200: pageOf(entryView).extend({
              isEnabled: z
                .boolean()
                .describe('false: entries are not stored, see ENABLE_REDIS_LOGGING'),
            }),
          },
        }),
      },
      async ({ query }) => {
        const entries = await log.recent(query);
        const data = (entries ?? []).map(plain);
        const oldest = data.length < query.limit ? undefined : data.at(-1);
        const nextCursor = oldest ? String(oldest.at) : null;
        return { data, nextCursor, isEnabled: entries !== undefined };
      },
    );
  };
}

/** A value that JSON cannot represent (a bigint, a cycle) must not fail the whole response. */
function plain(entry: RecentEntry): z.infer<typeof entryView> {
  const { metadata, ...fields } = entry;
  return metadata === undefined ? fields : { ...fields, metadata: readable(metadata) };
}

function readable(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    JSON.stringify(metadata);
    return { ...metadata };
  } catch {
    return {};
  }
}
