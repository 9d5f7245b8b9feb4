// /admin/orgs: organisations with their budgets, limits and permissions.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AdministerOrganizations } from '../../admission/administer-organizations.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageOf, pageQuery, readCursor, writeCursor } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  noContent,
  operatorOf,
  organizationId,
  searchText,
} from '../schemas/admin.ts';
import { organizationView, toOrganizationView } from '../schemas/organization.ts';
import {
  newOrganizationBody,
  organizationChange,
  toNewOrganization,
  toOrganizationChange,
} from '../schemas/organization-body.ts';

const params = z.object({ id: organizationId });
const found = { 200: organizationView };
const deletionQuery = z.object({
  force: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: cancel the waiting and running jobs instead of refusing with 409'),
});

export function adminOrganizationRoutes(
  organizations: AdministerOrganizations,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.post(
      '/admin/orgs',
      {
        ...guard,
        schema: adminSchema('Create an organisation', {
          body: newOrganizationBody,
          response: { 201: organizationView },
        }),
      },
      async (request, reply) => {
        const given = toNewOrganization(request.body);
        const organization = await organizations.create(operatorOf(request), given);
        return reply.code(201).send(toOrganizationView(organization));
      },
    );
    api.get(
      '/admin/orgs',
      {
        ...guard,
        schema: adminSchema('List organisations by id', {
          querystring: z.object({
            ...pageQuery,
            q: searchText.describe('Text that the id or the name contains, in any case'),
          }),
          response: { 200: pageOf(organizationView) },
        }),
      },
      async ({ query: { limit, cursor, q } }) => {
        const page = await organizations.list({ limit, after: readCursor(cursor), text: q });
        return {
          data: page.organizations.map(toOrganizationView),
          nextCursor: page.next === undefined ? null : writeCursor(page.next),
        };
      },
    );
    api.get(
      '/admin/orgs/:id',
      { ...guard, schema: adminSchema('Show an organisation', { params, response: found }) },
      async ({ params: { id } }) => toOrganizationView(await organizations.get(id)),
    );
    api.patch(
      '/admin/orgs/:id',
      {
        ...guard,
        schema: adminSchema('Change an organisation; null removes a value', {
          params,
          body: organizationChange,
          response: found,
        }),
      },
      async (request, reply) => {
        const change = toOrganizationChange(request.body);
        const { id } = request.params;
        const changed = await organizations.change(operatorOf(request), id, change);
        return reply.send(toOrganizationView(changed));
      },
    );
    api.delete(
      '/admin/orgs/:id',
      {
        ...guard,
        schema: adminSchema('Delete an organisation; its usage is kept and its id stays taken', {
          params,
          querystring: deletionQuery,
          response: { 204: noContent },
        }),
      },
      async (request, reply) => {
        const isForced = request.query.force === 'true';
        await organizations.delete(operatorOf(request), request.params.id, { isForced });
        return reply.code(204).send(null);
      },
    );
    api.post(
      '/admin/orgs/:id/webhook-secret',
      {
        ...guard,
        config: { isAnswerSecret: true },
        schema: adminSchema('Replace the secret that signs callbacks; the response shows it once', {
          params,
          response: { 201: z.object({ secret: z.string() }) },
        }),
      },
      async (request, reply) => {
        const { id } = request.params;
        const secret = await organizations.renewWebhookSecret(operatorOf(request), id);
        return reply.code(201).send({ secret });
      },
    );
  };
}
