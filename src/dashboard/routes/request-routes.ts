// GET /admin/requests: requests of all organisations, newest first; GET /admin/requests/{id}: a request with its timeline, and,
// for a failed request, the record of its failure. Callers see codes and sentences; the record has the internal reasons and
// the provider's raw responses, with secrets redacted. Failure records are stored for a few hours; usage is stored longer.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { pageQuery, readCursor, readonlyPageOf, writeCursor } from '../../http/paging.ts';
import {
  adminGuard,
  adminSchema,
  LATEST_MOMENT,
  organizationId,
  plainName,
  printable,
  queryInteger,
} from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import { requestView } from '../../http/schemas/request.ts';
import type { Clock } from '../../kernel/clock.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { RequestList, RequestPlace } from '../../metering/usage/request-list.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import type { RequestDetails, RequestRow } from '../api/requests.ts';
import { requestAttempts, requestTimeline } from '../readings/request-timeline.ts';
import { requestRow, timeline } from '../schemas/timeline.ts';

export type RequestRouteParts = {
  readonly requests: RequestList;
  readonly records: Pick<RequestRecords, 'find'>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

const DEFAULT_SPAN_MS = 7 * 86_400_000;
const timestamp = queryInteger(LATEST_MOMENT).optional();

const query = z.object({
  from: timestamp.describe('Default: 7 days before `to`'),
  to: timestamp.describe('Exclusive; default: now'),
  code: plainName.optional().describe('`OK`, an error code, or `failed` for every failure'),
  model: plainName.optional(),
  provider: plainName.optional(),
  organizationId: organizationId.optional(),
  minLatencyMs: queryInteger(86_400_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: pageQuery.cursor,
});

export function requestRoutes(parts: RequestRouteParts): RegisterRoutes {
  const guard = { ...adminGuard(parts.gate), ...plainAnswer };
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();
    api.get(
      '/admin/requests',
      {
        ...guard,
        schema: adminSchema('Requests of all organisations, newest first', {
          querystring: query,
          response: { 200: readonlyPageOf(requestRow) },
        }),
      },
      async ({ query: { from, to = parts.clock.now() + 1, cursor, ...page } }) => {
        const range = { from: from ?? Math.max(0, to - DEFAULT_SPAN_MS), to };
        const found = await parts.requests.page({
          ...page,
          ...range,
          before: requestCursor(cursor),
        });
        return {
          data: found.records.map(toRow),
          nextCursor: found.next ? writeCursor(`${found.next.createdAt} ${found.next.id}`) : null,
        };
      },
    );
    api.get(
      '/admin/requests/:id',
      {
        ...guard,
        schema: adminSchema(
          'A request with its timeline and, if it failed, the record of its failure',
          {
            params: z.object({ id: printable(200) }),
            response: { 200: requestView.extend({ timeline }) },
          },
        ),
      },
      async ({ params: { id } }) => readDetails(parts, id),
    );
  };
}

async function readDetails(
  { requests, records }: RequestRouteParts,
  id: string,
): Promise<RequestDetails> {
  const failure = await records.find(id);
  // The failure record stays readable while the store is unavailable.
  const usage = await requests.attempts(failure?.id ?? id).catch((cause: unknown) => {
    if (failure) return [];
    throw cause;
  });
  const [first] = usage;
  if (!failure && !first) throw new SpillwayError('NOT_FOUND', 'no record of this request');
  const attempts = requestAttempts(usage, failure);
  const last = attempts.at(-1);
  const {
    error,
    attempts: _,
    ...owner
  } = failure ?? {
    id,
    organizationId: first?.organizationId ?? '',
    keyId: first?.keyId,
    attempts: [],
  };
  return {
    ...owner,
    ...(last?.provider !== undefined && { provider: last.provider }),
    ...(last?.model !== undefined && { model: last.model }),
    attempts,
    ...(error && { error: { ...error } }),
    timeline: requestTimeline(attempts, usage, error?.code),
  };
}

function requestCursor(cursor: string | undefined): RequestPlace | undefined {
  const [createdAt, id = ''] = readCursor(cursor)?.split(' ') ?? [];
  return createdAt === undefined
    ? undefined
    : { createdAt: Math.min(Number.parseInt(createdAt, 10) || 0, LATEST_MOMENT), id };
}

function toRow(record: UsageRecord): RequestRow {
  return {
    id: record.requestId,
    at: record.createdAt,
    organizationId: record.organizationId,
    keyId: record.keyId,
    userId: record.userId ?? null,
    provider: record.provider,
    model: record.model,
    code: record.status,
    attempts: record.attempt,
    latencyMs: record.latencyMs,
    inputTokens: record.inputTokens + record.cacheReadTokens + record.cacheWriteTokens,
    outputTokens: record.outputTokens,
    costUsd: nanosToUsd(record.costNanos),
    isStreamed: record.streamed,
    isEstimated: record.estimated,
  };
}
