// /admin/limits: the providers at their limit; operators can set and clear a limit.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AdministerLimits } from '../../admission/administer-limits.ts';
import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { parseRegionLabel, regionLabel, withModel } from '../../resilience/circuit-key.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageOf, wholeList } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  moment,
  noContent,
  operatorOf,
  plainName,
} from '../schemas/admin.ts';

const params = z.object({ provider: plainName, region: plainName });

export const limitView = z.object({
  provider: z.string(),
  region: z.string(),
  model: z.string().nullable().describe('null: the whole provider in that region'),
  resetAt: moment,
  setBy: z.string(),
  setAt: moment,
  kind: z.enum(['learnt', 'credit', 'reported', 'manual', 'throttled']),
  requestId: z
    .string()
    .nullable()
    .describe('The request that met the limit: see GET /admin/requests/{id}'),
});

export function adminLimitRoutes(
  limits: AdministerLimits,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.get(
      '/admin/limits',
      {
        ...guard,
        schema: adminSchema('List the provider limits in force', {
          response: { 200: pageOf(limitView) },
        }),
      },
      async () => wholeList((await limits.list()).map(toLimitView)),
    );
    api.put(
      '/admin/limits/:provider/:region',
      {
        ...guard,
        schema: adminSchema('Set a provider limit until a timestamp; it lasts 32 days at most', {
          params,
          body: z.strictObject({ resetAt: moment, model: plainName.nullish() }),
          response: { 200: limitView },
        }),
      },
      async (request, reply) => {
        const { resetAt, model } = request.body;
        const key = keyOf(request.params, model ?? undefined);
        return reply.send(toLimitView(await limits.set(operatorOf(request), key, resetAt)));
      },
    );
    api.delete(
      '/admin/limits/:provider/:region',
      {
        ...guard,
        schema: adminSchema(
          'Clear a provider limit; without a model, all of the provider and region. Jobs that wait for it are due soon',
          {
            params,
            querystring: z.object({ model: plainName.optional() }),
            response: { 204: noContent },
          },
        ),
      },
      async (request, reply) => {
        await limits.clear(operatorOf(request), keyOf(request.params, request.query.model));
        return reply.code(204).send(null);
      },
    );
  };
}

export function toLimitView(limit: ProviderLimit): z.infer<typeof limitView> {
  const { provider, model = null, resetAt, setBy, setAt, kind, requestId = null } = limit;
  const region = regionLabel(limit);
  return { provider, region, model, resetAt, setBy, setAt, kind, requestId };
}

function keyOf({ provider, region }: z.infer<typeof params>, model: string | undefined) {
  return withModel(parseRegionLabel(provider, region), model);
}
