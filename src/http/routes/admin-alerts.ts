// GET /admin/alerts: the alerts that fire and have fired, newest first. GET /admin/alerts/webhook-secret: the secret that
// signs messages to the webhook of alerts.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ALERT_SEVERITIES, type Alert } from '../../alerts/alert.ts';
import type { AlertBoard, AlertPage } from '../../alerts/alert-board.ts';
import { runbookOf } from '../../alerts/alert-text.ts';
import { ALERT_NAMES } from '../../kernel/notify/alert-name.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { cutPage, pageOf, pageQuery, readCursor } from '../paging.ts';
import { adminGuard, adminSchema, LATEST_MOMENT, moment } from '../schemas/admin.ts';

export type AlertRouteParts = {
  readonly board: Pick<AlertBoard, 'list'>;
  readonly webhookSecret: string;
  readonly gate: Pick<Gate, 'requireAdmin'>;
};

const alertView = z.object({
  id: z.string(),
  name: z.enum(ALERT_NAMES),
  metric: z.string(),
  subject: z
    .string()
    .optional()
    .describe('The circuit, queue, account or budget; absent for the whole cluster'),
  state: z.enum(['firing', 'ended']),
  severity: z.enum(ALERT_SEVERITIES),
  message: z.string().describe('In plain words, with a remedy'),
  value: z.number().describe('The value that started it'),
  threshold: z.number(),
  startedAt: moment,
  endedAt: moment.nullable(),
  serverId: z.string().describe('The server that reported its start'),
  runbook: z.string(),
});

export function adminAlertRoutes({ board, webhookSecret, gate }: AlertRouteParts): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/alerts',
      {
        ...adminGuard(gate),
        schema: adminSchema('Alerts that fire and have fired, newest first', {
          querystring: z.object({ state: z.enum(['firing', 'ended']).optional(), ...pageQuery }),
          response: { 200: pageOf(alertView) },
        }),
      },
      async ({ query: { state, limit, cursor } }) => {
        const rows = await board.list({ state, before: readPlace(cursor), limit: limit + 1 });
        return cutPage(rows.map(toAlertView), limit, ({ startedAt, id }) => `${startedAt} ${id}`);
      },
    );
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/alerts/webhook-secret',
      {
        ...adminGuard(gate),
        schema: adminSchema('The secret that signs messages to the webhook of alerts', {
          response: { 200: z.object({ secret: z.string() }) },
        }),
      },
      async () => ({ secret: webhookSecret }),
    );
  };
}

function toAlertView(alert: Alert): z.infer<typeof alertView> {
  const { budget: _budget, subject, ...fields } = alert;
  return {
    ...fields,
    ...(subject === undefined ? {} : { subject }),
    state: alert.endedAt === undefined ? 'firing' : 'ended',
    endedAt: alert.endedAt ?? null,
    runbook: runbookOf(alert.name),
  };
}

function readPlace(cursor: string | undefined): AlertPage['before'] {
  const [startedAt, id = ''] = readCursor(cursor)?.split(' ') ?? [];
  return startedAt === undefined
    ? undefined
    : { startedAt: Math.min(Number.parseInt(startedAt, 10) || 0, LATEST_MOMENT), id };
}
