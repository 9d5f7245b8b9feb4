// /admin/orgs/{id}/keys: the keys of one organisation.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AdministerKeys } from '../../admission/administer-keys.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { cutPage, pageOf, pageQuery, readCursor } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  noContent,
  operatorOf,
  organizationId,
  plainName,
} from '../schemas/admin.ts';
import { createdKeyView, keyView, newKeyBody, toKeyView, toNewKey } from '../schemas/key.ts';

const params = z.object({ id: organizationId });

export function adminKeyRoutes(
  keys: AdministerKeys,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.post(
      '/admin/orgs/:id/keys',
      {
        ...guard,
        config: { isAnswerSecret: true },
        schema: adminSchema('Create a key; the response shows it once', {
          params,
          body: newKeyBody,
          response: { 201: createdKeyView },
        }),
      },
      async (request, reply) => {
        const given = toNewKey(request.body);
        const { key, stored } = await keys.create(operatorOf(request), request.params.id, given);
        return reply.code(201).send({ ...toKeyView(stored), key });
      },
    );
    api.get(
      '/admin/orgs/:id/keys',
      {
        ...guard,
        schema: adminSchema("List an organisation's keys, newest first", {
          params,
          querystring: z.object(pageQuery),
          response: { 200: pageOf(keyView) },
        }),
      },
      async ({ params: { id }, query: { limit, cursor } }) => {
        const before = readCursor(cursor);
        const all = (await keys.list(id)).map(toKeyView);
        const rest = before === undefined ? all : all.filter((key) => key.id < before);
        return cutPage(rest, limit, (key) => key.id);
      },
    );
    api.delete(
      '/admin/orgs/:id/keys/:keyId',
      {
        ...guard,
        schema: adminSchema('Revoke a key, effective at once', {
          params: params.extend({ keyId: plainName }),
          response: { 204: noContent },
        }),
      },
      async (request, reply) => {
        const { id, keyId } = request.params;
        await keys.revoke(operatorOf(request), id, keyId);
        return reply.code(204).send(null);
      },
    );
  };
}
