// Dead letters, for operators: list, retry, purge. Changes are recorded in the audit log.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Auditor } from '../../admission/administer-audit.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { RetryDeadLetters } from '../../jobs/pipeline/retry-dead-letter.ts';
import type { DeadLetter, DeadLetterStore } from '../../jobs/ports/dead-letter-store.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { readonlyPageOf } from '../paging.ts';
import {
  adminGuard,
  moment,
  noContent,
  operatorOf,
  printable,
  searchText,
} from '../schemas/admin.ts';
import { plainAnswer } from '../schemas/documented.ts';

export type DeadLetterRouteParts = {
  readonly operations: { readonly deadLetters: RetryDeadLetters };
  readonly deadLetters: DeadLetterStore;
  readonly gate: Gate;
  readonly auditor: Pick<Auditor, 'record'>;
};

/** Bodies have up to megabytes; a page with larger ones has fewer rows. */
const MAX_PAGE_BYTES = 256 * 1024;

const letterPath = z.object({ id: printable(200) });
const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: printable(200).optional(),
  q: searchText.describe(
    'Text that the id, job, organisation, queue, code or message contains, in any case',
  ),
  fields: z.enum(['all', 'summary']).default('all').describe('`summary` leaves `body` out'),
});

const letterView = z.looseObject({
  id: z.string(),
  jobId: z.string().optional(),
  organizationId: z.string().optional(),
  queue: z.string(),
  body: z
    .string()
    .optional()
    .describe("The message as delivered, or the job's fields as JSON; absent from a summary"),
  errorCode: z.string(),
  errorMessage: z.string().describe('For operators'),
  attempts: z.int(),
  createdAt: moment,
});
const retried = z.object({ retried: z.int() });

export function deadLetterRoutes({
  operations,
  deadLetters,
  gate,
  auditor,
}: DeadLetterRouteParts): RegisterRoutes {
  const guard = adminGuard(gate);
  return (untyped) => {
    const app = untyped.withTypeProvider<ZodTypeProvider>();
    const documented = (summary: string) => ({
      summary,
      tags: ['Admin'],
      security: [{ admin: [] }],
    });

    app.get(
      '/admin/dlq',
      {
        ...guard,
        ...plainAnswer,
        schema: {
          ...documented('Dead letters, oldest first'),
          querystring: listQuery,
          response: { 200: readonlyPageOf(letterView) },
        },
      },
      async (request) => {
        const { limit, cursor, fields, q } = request.query;
        const isSummary = fields === 'summary';
        const page = { limit, after: cursor, text: q, maxBytes: MAX_PAGE_BYTES, isSummary };
        const { letters, next } = await deadLetters.list(page);
        const data = isSummary ? letters.map(withoutBody) : letters;
        return { data, nextCursor: next ?? null };
      },
    );

    app.post(
      '/admin/dlq/retry-all',
      { ...guard, schema: { ...documented('Retry all dead letters'), response: { 200: retried } } },
      async (request) => {
        await auditor.record(operatorOf(request), { action: 'dlq.retry-all', target: 'all' });
        return { retried: await operations.deadLetters.retryAll() };
      },
    );

    app.post(
      '/admin/dlq/:id/retry',
      {
        ...guard,
        schema: {
          ...documented('Retry one dead letter'),
          params: letterPath,
          response: { 200: retried },
        },
      },
      async (request) => {
        const { id } = request.params;
        await auditor.record(operatorOf(request), { action: 'dlq.retry', target: id });
        if (await operations.deadLetters.retry(id)) return { retried: 1 };
        throw new SpillwayError('NOT_FOUND', 'no such dead letter');
      },
    );

    app.delete(
      '/admin/dlq/:id',
      {
        ...guard,
        schema: {
          ...documented('Purge one dead letter'),
          params: letterPath,
          response: { 204: noContent },
        },
      },
      async (request, reply) => {
        const { id } = request.params;
        await auditor.record(operatorOf(request), { action: 'dlq.purge', target: id });
        if (await deadLetters.remove(id)) return reply.code(204).send(null);
        throw new SpillwayError('NOT_FOUND', 'no such dead letter');
      },
    );
  };
}

/** The body is the producer's message with its prompt. */
function withoutBody(letter: DeadLetter): Omit<DeadLetter, 'body'> {
  const { body: _body, ...summary } = letter;
  return summary;
}
