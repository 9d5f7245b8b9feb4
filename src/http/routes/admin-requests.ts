// GET /admin/requests/{id}: the record of a failed request, for operators. Callers see codes and sentences; the record
// has the internal reasons and the provider's raw responses, with secrets redacted. Records are kept for a while: old and
// successful requests are not found. In a cluster every gateway finds the records of all servers.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { RequestRecord, RequestRecords } from '../../upstream/request-records.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { adminGuard, adminSchema, moment, printable } from '../schemas/admin.ts';

const attemptView = z.object({
  id: z.string(),
  number: z.int(),
  startedAt: moment,
  endedAt: moment,
  provider: z.string().optional(),
  model: z.string().optional(),
  status: z.int().optional().describe("The provider's, where it answered at all"),
  code: z.string(),
  reason: z.string().describe('The internal reason'),
  raw: z
    .object({
      status: z.int().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
    })
    .optional()
    .describe("The provider's response, up to 8 KiB, with secrets redacted"),
});

const requestView = z.object({
  id: z.string(),
  correlationId: z.string().optional(),
  organizationId: z.string(),
  keyId: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  attempts: z.array(attemptView),
  reason: z.string().optional().describe('The internal reason, if no attempt was sent'),
  error: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The error in the response to the caller'),
  partial: z
    .object({
      text: z.string().describe('The begin of the stream, up to 8 KiB'),
      bytes: z.int().describe('All bytes that the caller got'),
    })
    .optional()
    .describe('What the caller had received when its stream was cut'),
});

export function adminRequestRoutes(
  records: Pick<RequestRecords, 'find'>,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/requests/:id',
      {
        ...adminGuard(gate),
        schema: adminSchema('The record of a failed request', {
          params: z.object({ id: printable(200) }),
          response: { 200: requestView },
        }),
      },
      async ({ params: { id } }) => {
        const record = await records.find(id);
        if (record) return viewOf(record);
        throw new SpillwayError('NOT_FOUND', 'no record of this request');
      },
    );
  };
}

function viewOf(record: RequestRecord): z.infer<typeof requestView> {
  const { error, ...fields } = record;
  const last = record.attempts.at(-1);
  return {
    ...fields,
    provider: last?.provider,
    model: last?.model,
    attempts: record.attempts.map((attempt) => ({ ...attempt, status: attempt.raw?.status })),
    ...(error && { error: { ...error } }),
  };
}
