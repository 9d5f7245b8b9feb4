// Usage and cost: /admin/usage for operators, /v1/usage for the caller's own organisation. Both read hourly roll-ups,
// so their cost does not grow with the number of requests; the response states the covered range.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import {
  MAX_USAGE_GROUPS,
  USAGE_GROUPINGS,
  type UsageStore,
  type UsageSum,
} from '../../metering/usage/usage-store.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageOf, wholeList } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  LATEST_MOMENT,
  moment,
  namingValidator,
  organizationId,
  queryInteger,
} from '../schemas/admin.ts';

const DEFAULT_RANGE_MS = 30 * 86_400_000;

const queryMoment = queryInteger(LATEST_MOMENT).optional();

const query = z.object({
  from: queryMoment.describe('Epoch milliseconds; default: 30 days before `to`'),
  to: queryMoment.describe('Epoch milliseconds, exclusive; default: now'),
  groupBy: z.enum(USAGE_GROUPINGS).default('model'),
});

const totals = z.object({
  attempts: z.number(),
  failures: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number(),
});

const usageView = pageOf(
  totals.extend({
    group: z
      .union([z.string(), z.number()])
      .describe("The group's value; '' without a value; for days, midnight UTC"),
  }),
).extend({
  from: moment,
  to: moment,
  groupBy: z.enum(USAGE_GROUPINGS),
  total: totals,
  rest: totals
    .optional()
    .describe(`The sum of all other groups, where there are more than ${MAX_USAGE_GROUPS}`),
});

export type UsageRouteParts = {
  readonly usage: Pick<UsageStore, 'covered' | 'total' | 'sums'>;
  readonly requireOrganization: (id: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly reads: OwnReads;
};

export function usageRoutes(parts: UsageRouteParts): RegisterRoutes {
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.get(
      '/admin/usage',
      {
        ...adminGuard(parts.gate),
        schema: adminSchema('Usage and cost, of one organisation or of all', {
          querystring: query.extend({ org: organizationId.optional() }),
          response: { 200: usageView },
        }),
      },
      async ({ query: { org, ...range } }) => {
        if (org !== undefined) await parts.requireOrganization(org);
        return report(parts, range, org);
      },
    );
    api.get(
      '/v1/usage',
      {
        validatorCompiler: namingValidator,
        onRequest: async (request) => void (await parts.gate.requireScope(request, 'call')),
        schema: {
          summary: "The caller's own usage and cost",
          tags: ['Usage'],
          security: [{ key: [] }],
          querystring: query,
          response: { 200: usageView },
        },
      },
      async (request, reply) => {
        const { organizationId } = await parts.gate.requireScope(request, 'call');
        const readReport = () => report(parts, request.query, organizationId);
        return reply.send(await parts.reads(organizationId, readReport));
      },
    );
  };
}

async function report(
  { usage, clock }: UsageRouteParts,
  { groupBy, ...given }: z.infer<typeof query>,
  organizationId: string | undefined,
): Promise<z.infer<typeof usageView>> {
  const now = clock.now();
  const to = given.to ?? now;
  // A range that ends before it begins is empty.
  const from = Math.min(given.from ?? Math.max(0, to - DEFAULT_RANGE_MS), to);
  const asked = { from, to, ...(organizationId === undefined ? {} : { organizationId }) };
  const range = await usage.covered(asked, now);
  const [total, sums] = await Promise.all([
    usage.total(range),
    usage.sums(range, groupBy, MAX_USAGE_GROUPS),
  ]);
  const data = sums.map((sum) => ({ group: sum.group, ...toTotals(sum) }));
  const covered = { from: range.from, to: to >= now ? to : range.to };
  const rest =
    groupBy === 'day' || sums.length < MAX_USAGE_GROUPS ? undefined : restOf(total, sums);
  return {
    ...covered,
    groupBy,
    total: toTotals(total),
    ...(rest && { rest: toTotals(rest) }),
    ...wholeList(data),
  };
}

type Sum = Omit<UsageSum, 'group'>;

/** What the listed groups leave of the total; undefined if they are all. */
function restOf(total: Sum, listed: readonly UsageSum[]): Sum | undefined {
  const left = { ...total };
  for (const sum of listed)
    for (const field of SUM_FIELDS) left[field] = Math.max(0, left[field] - sum[field]);
  return left.attempts > 0 ? left : undefined;
}

const SUM_FIELDS = [
  'attempts',
  'failures',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'costNanos',
] as const;

function toTotals({ costNanos, ...sum }: Omit<UsageSum, 'group'>): z.infer<typeof totals> {
  return { ...sum, costUsd: nanosToUsd(costNanos) };
}
