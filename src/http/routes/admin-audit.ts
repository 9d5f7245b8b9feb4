// GET /admin/audit: the audit log, newest first.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Auditor } from '../../admission/administer-audit.ts';
import type { AuditEntry, AuditPage } from '../../admission/audit-log.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { cutPage, pageOf, pageQuery, readCursor } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  LATEST_MOMENT,
  moment,
  organizationId,
} from '../schemas/admin.ts';

const entryView = z.object({
  id: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  organizationId: z.string().nullable(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
  createdAt: moment,
});

export function adminAuditRoutes(
  auditor: Pick<Auditor, 'list'>,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/audit',
      {
        ...adminGuard(gate),
        schema: adminSchema('The audit log of operators, newest first', {
          querystring: z.object({ org: organizationId.optional(), ...pageQuery }),
          response: { 200: pageOf(entryView) },
        }),
      },
      async ({ query: { org, limit, cursor } }) => {
        const page = { organizationId: org, before: readPlace(cursor), limit: limit + 1 };
        const rows = await auditor.list(page);
        return cutPage(rows.map(toEntryView), limit, ({ createdAt, id }) => `${createdAt} ${id}`);
      },
    );
  };
}

function readPlace(cursor: string | undefined): AuditPage['before'] {
  const [createdAt, id = ''] = readCursor(cursor)?.split(' ') ?? [];
  return createdAt === undefined
    ? undefined
    : { createdAt: Math.min(Number.parseInt(createdAt, 10) || 0, LATEST_MOMENT), id };
}

function toEntryView(entry: AuditEntry): z.infer<typeof entryView> {
  return {
    ...entry,
    organizationId: entry.organizationId ?? null,
    requestId: entry.requestId ?? null,
    data: entry.data ? { ...entry.data } : null,
  };
}
