// GET /admin/builds/{buildId}/events: the events of a build with their internal messages, for operators. Includes rows
// that a product wrote to the table itself, which have no organisation.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { DEFAULT_LOCALE, DEFAULT_TIME_ZONE } from '../../errors/locale.ts';
import type { Redact } from '../../errors/redact.ts';
import type { BuildEventStore } from '../../events/build-event-store.ts';
import { toOperatorView } from '../../events/build-event-view.ts';
import { type EventFields, withFields } from '../../events/event-fields.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { readonlyPageOf } from '../paging.ts';
import { adminGuard, adminSchema, organizationId } from '../schemas/admin.ts';
import { operatorEventView } from '../schemas/build-event.ts';
import { plainAnswer } from '../schemas/documented.ts';
import { buildPath, eventsQuery, readPage } from './builds.ts';

export type AdminBuildRouteParts = {
  readonly events: Pick<BuildEventStore, 'list'>;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  /** The field names of a reader that asks for none. */
  readonly fields: EventFields;
};

const query = eventsQuery.extend({ org: organizationId.optional() });

export function adminBuildRoutes(parts: AdminBuildRouteParts): RegisterRoutes {
  const { events, redact, clock, gate } = parts;
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/builds/:buildId/events',
      {
        ...adminGuard(gate),
        ...plainAnswer,
        schema: adminSchema('The events of a build with their internal messages', {
          params: buildPath,
          querystring: query,
          response: { 200: readonlyPageOf(operatorEventView) },
        }),
      },
      async ({ params: { buildId }, query: { org, fields = parts.fields, ...page } }) => {
        const reader = { locale: DEFAULT_LOCALE, timeZone: DEFAULT_TIME_ZONE, now: clock.now() };
        return readPage(events, { ...page, organizationId: org, buildId }, (event) =>
          withFields(toOperatorView(event, reader, redact), fields),
        );
      },
    );
  };
}
