// GET /admin/dashboard/money, …/money/{organizationId} and /admin/dashboard/spend.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { readCursor, writeCursor } from '../../http/paging.ts';
import {
  adminGuard,
  adminSchema,
  LATEST_MOMENT,
  organizationId,
  queryInteger,
  searchText,
} from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BurnDown, OrganizationSpend, SpendByModel } from '../api/money.ts';
import type { RankedSpenders } from '../readings/read-money.ts';
import { burnDownView, moneyView, spendView } from '../schemas/money.ts';

export type MoneyRouteParts = {
  readonly readSpenders: () => Promise<RankedSpenders>;
  /** Throws NOT_FOUND for an unknown organisation. */
  readonly readBurnDown: (organizationId: string) => Promise<BurnDown>;
  readonly readSpendByModel: (
    range: { readonly from: number; readonly to: number },
    organizationId: string | undefined,
  ) => Promise<SpendByModel>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

const DEFAULT_SPAN_MS = 30 * 86_400_000;
const timestamp = queryInteger(LATEST_MOMENT).optional();

const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z
    .string()
    .regex(/^([2-7][0-9a-f]){1,20}$/)
    .optional(),
  q: searchText.describe('Text that the id or the name contains, in any case'),
});

export function moneyRoutes(parts: MoneyRouteParts): RegisterRoutes {
  const guard = { ...adminGuard(parts.gate), ...plainAnswer };
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();
    api.get(
      '/admin/dashboard/money',
      {
        ...guard,
        schema: adminSchema('Organisations with spending this month, the most urgent first', {
          querystring: pageQuery,
          response: { 200: moneyView },
        }),
      },
      async ({ query: { limit, cursor, q } }) => {
        const { data: ranked, total } = await parts.readSpenders();
        const data = q === undefined ? ranked : ranked.filter(matches(q));
        // The ranked list is one shared reading, so a cursor is a position in it.
        const begin = Math.max(0, Number.parseInt(readCursor(cursor) ?? '0', 10) || 0);
        const end = begin + limit;
        return {
          data: data.slice(begin, end),
          nextCursor: end < data.length ? writeCursor(String(end)) : null,
          total,
          readAt: parts.clock.now(),
        };
      },
    );
    api.get(
      '/admin/dashboard/money/:organizationId',
      {
        ...guard,
        schema: adminSchema("The burn-down of an organisation's month", {
          params: z.object({ organizationId }),
          response: { 200: burnDownView },
        }),
      },
      async ({ params }) => parts.readBurnDown(params.organizationId),
    );
    api.get(
      '/admin/dashboard/spend',
      {
        ...guard,
        schema: adminSchema('Spending by day and model, of one organisation or of all', {
          querystring: z.object({
            from: timestamp.describe('Default: 30 days before `to`'),
            to: timestamp.describe('Exclusive; default: now'),
            org: organizationId.optional(),
          }),
          response: { 200: spendView },
        }),
      },
      async ({ query: { from, org, ...query } }) => {
        const to = Math.min(query.to ?? LATEST_MOMENT, parts.clock.now());
        return parts.readSpendByModel(
          { from: Math.max(0, Math.min(from ?? to - DEFAULT_SPAN_MS, to)), to },
          org,
        );
      },
    );
  };
}

function matches(text: string): (organization: OrganizationSpend) => boolean {
  const wanted = text.toLowerCase();
  return ({ organizationId, name }) =>
    organizationId.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
}
