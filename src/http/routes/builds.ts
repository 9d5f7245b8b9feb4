// /v1/builds: progress events of a product's long-running work, and their readers. A build belongs to the organisation
// of the key; builds of other organisations are not found.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Principal } from '../../admission/principal.ts';
import type { BuildEvent } from '../../events/build-event.ts';
import type { BuildEventPage, BuildEventStore } from '../../events/build-event-store.ts';
import { toBuildEventView } from '../../events/build-event-view.ts';
import type { EmitEvents, ReportedFailure } from '../../events/emit-events.ts';
import { EVENT_FIELDS, type EventFields, withFields } from '../../events/event-fields.ts';
import { type Followed, follow, hasEnded } from '../../events/follow-events.ts';
import { reportBody } from '../../events/parse-report.ts';
import type { EventReader } from '../../events/translate-error.ts';
import type { BuildWatch } from '../../events/watch-builds.ts';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Gate, scopeGuard } from '../authenticate.ts';
import { readerOf } from '../event-reader.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { readonlyPageOf } from '../paging.ts';
import { namingValidator, noContent, printable, queryInteger } from '../schemas/admin.ts';
import { buildEventView } from '../schemas/build-event.ts';
import { bodyParsedByHandler, plainAnswer } from '../schemas/documented.ts';
import { type LiveReplies, lastEventId, wantsStream } from '../sse-reply.ts';

export type BuildRouteParts = {
  readonly emit: EmitEvents;
  readonly reportLimit: (principal: Principal, reported: ReportedFailure) => Promise<void>;
  readonly events: Pick<BuildEventStore, 'list'>;
  readonly watch: Pick<BuildWatch, 'watch'>;
  readonly live: LiveReplies;
  readonly gate: Pick<Gate, 'requireScope'>;
  readonly clock: Clock;
  readonly reads: OwnReads;
  /** The field names of a reader that asks for none. */
  readonly fields: EventFields;
};

const MAX_REPORT_BYTES = 8 * 2 ** 20;
/** Small, because each reader holds a page in memory and an event may be large. */
const LIVE_PAGE = 20;
const MAX_LIVE_PAGE_BYTES = 64 * 1024;
/** Building a page of this size blocks the process for milliseconds. */
const MAX_PAGE_BYTES = 2 ** 20;

export const buildPath = z.object({ buildId: printable(200) });
const fieldsQuery = z.object({ fields: z.enum(EVENT_FIELDS).optional() });
export const eventsQuery = fieldsQuery.extend({
  after: queryInteger(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  userId: printable(200).optional(),
});

type FollowedPage = Omit<z.infer<typeof eventsQuery>, 'fields'> & {
  readonly fields: EventFields;
  readonly organizationId: string;
  readonly buildId: string;
};

export function buildRoutes(parts: BuildRouteParts): RegisterRoutes {
  const { emit, events, gate, clock, reads } = parts;
  const documented = (summary: string) => ({
    summary,
    tags: ['Builds'],
    security: [{ key: [] }],
    params: buildPath,
  });
  return (untyped) => {
    const app = untyped.withTypeProvider<ZodTypeProvider>();

    app.post(
      '/v1/builds/:buildId/events',
      {
        ...scopeGuard(gate, 'events'),
        bodyLimit: MAX_REPORT_BYTES,
        ...plainAnswer,
        validatorCompiler: bodyParsedByHandler,
        schema: {
          ...documented('Add one event or a list of events to a build'),
          querystring: fieldsQuery,
          body: reportBody,
          response: { 201: z.union([buildEventView, readonlyPageOf(buildEventView)]) },
        },
      },
      async (request, reply) => {
        const principal = await gate.requireScope(request, 'events');
        const { organizationId } = principal;
        const reader = readerOf(request, principal, clock.now());
        const build = { organizationId, buildId: request.params.buildId };
        const onFailure = (reported: ReportedFailure) => parts.reportLimit(principal, reported);
        const stored = await emit({ build, body: request.body, reader, onFailure });
        const toView = viewFor(reader, request.query.fields ?? parts.fields);
        const views = stored.map(toView);
        const [first] = Array.isArray(request.body) ? [] : views;
        return reply.code(201).send(first ?? { data: views, nextCursor: null });
      },
    );

    app.get(
      '/v1/builds/:buildId/events',
      {
        ...plainAnswer,
        validatorCompiler: namingValidator,
        schema: {
          ...documented('The events of a build; with `Accept: text/event-stream` as a live stream'),
          querystring: eventsQuery,
          response: {
            200: readonlyPageOf(buildEventView),
            204: noContent.describe('A stream that has ended'),
          },
        },
      },
      async (request, reply) => {
        const principal = await gate.requireScope(request, 'events');
        const { organizationId } = principal;
        const { fields = parts.fields, ...query } = request.query;
        const page = { ...query, fields, organizationId, buildId: request.params.buildId };
        if (wantsStream(request)) return stream(parts, request, reply, page);
        const reader = readerOf(request, principal, clock.now());
        return reads(organizationId, () => readPage(events, page, viewFor(reader, fields)));
      },
    );
  };
}

function viewFor(reader: EventReader, fields: EventFields) {
  return (event: BuildEvent) => withFields(toBuildEventView(event, reader), fields);
}

export type EventPage<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Reads up to `limit` events, and fewer where they are large; the cursor is the `after` of the next page. */
export async function readPage<T>(
  events: Pick<BuildEventStore, 'list'>,
  page: BuildEventPage,
  toView: (event: BuildEvent) => T,
): Promise<EventPage<T>> {
  const found = await events.list({ ...page, maxBytes: MAX_PAGE_BYTES });
  const data = found.map(toView);
  const last = found.at(-1);
  if (last === undefined) return { data, nextCursor: null };
  const [next] = await events.list({ ...page, after: last.id, limit: 1 });
  return { data, nextCursor: next === undefined ? null : String(last.id) };
}

async function stream(
  parts: BuildRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  page: FollowedPage,
): Promise<FastifyReply> {
  const { events, watch, live, gate, clock, reads } = parts;
  const source: Followed<BuildEvent> = {
    read: (after) =>
      events.list({ ...page, after, limit: LIVE_PAGE, maxBytes: MAX_LIVE_PAGE_BYTES }),
    idOf: ({ id }) => id,
    isLast: ({ finished }) => finished,
    watch: (wake) => watch.watch(page, wake),
  };
  const after = lastEventId(request) ?? page.after;
  // 204 stops a browser's EventSource from reconnecting.
  if (await reads(page.organizationId, () => hasEnded(source, after)))
    return reply.code(204).send();
  await live.answer(reply, {
    caller: page.organizationId,
    async *open(signal) {
      for await (const found of follow(source, { after, clock, signal })) {
        // Checked for every page: a revoked key must not receive further events.
        const principal = await gate.requireScope(request, 'events');
        const toView = viewFor(readerOf(request, principal, clock.now()), page.fields);
        yield found.map((event) => ({ id: event.id, data: toView(event) }));
      }
    },
  });
  return reply;
}
