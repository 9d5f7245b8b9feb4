// Dead letters, for operators: list, retry, purge. Changes are recorded in the audit log.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Auditor } from '../../admission/administer-audit.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { RetryDeadLetters } from '../../jobs/pipeline/retry-dead-letter.ts';
import type { DeadLetterStore } from '../../jobs/ports/dead-letter-store.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { adminGuard, operatorOf } from '../schemas/admin.ts';

export type DeadLetterRouteParts = {
  readonly desk: { readonly deadLetters: RetryDeadLetters };
  readonly deadLetters: DeadLetterStore;
  readonly gate: Gate;
  readonly auditor: Pick<Auditor, 'record'>;
};

const letterPath = z.object({ id: z.string().min(1).max(200) });
const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});

export function deadLetterRoutes({
  desk,
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
      { ...guard, schema: { ...documented('Dead letters, oldest first'), querystring: listQuery } },
      async (request) => {
        const { limit, cursor } = request.query;
        const page = await deadLetters.list({ limit: limit + 1, ...(cursor && { after: cursor }) });
        const data = page.slice(0, limit);
        return { data, nextCursor: page.length > limit ? (data.at(-1)?.id ?? null) : null };
      },
    );

    app.post(
      '/admin/dlq/retry-all',
      { ...guard, schema: documented('Retry all dead letters') },
      async (request) => {
        await auditor.record(operatorOf(request), { action: 'dlq.retry-all', target: 'all' });
        return { retried: await desk.deadLetters.retryAll() };
      },
    );

    app.post(
      '/admin/dlq/:id/retry',
      { ...guard, schema: { ...documented('Retry one dead letter'), params: letterPath } },
      async (request) => {
        const { id } = request.params;
        await auditor.record(operatorOf(request), { action: 'dlq.retry', target: id });
        if (await desk.deadLetters.retry(id)) return { retried: 1 };
        throw new SpillwayError('NOT_FOUND', 'no such dead letter');
      },
    );

    app.delete(
      '/admin/dlq/:id',
      { ...guard, schema: { ...documented('Purge one dead letter'), params: letterPath } },
      async (request, reply) => {
        const { id } = request.params;
        await auditor.record(operatorOf(request), { action: 'dlq.purge', target: id });
        if (await deadLetters.remove(id)) return reply.code(204).send();
        throw new SpillwayError('NOT_FOUND', 'no such dead letter');
      },
    );
  };
}
