// The remaining budget of an organisation, for its callers and for operators. The values come from the ledger that
// decides the next request: charges count immediately, and reservations of calls in flight are listed separately.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { OrganizationStore } from '../../admission/organization-store.ts';
import type { Principal } from '../../admission/principal.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { readLabel } from '../../flow/serve/native-request.ts';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type {
  BudgetLedger,
  BudgetOwner,
  BudgetStatus,
} from '../../metering/budgets/budget-ledger.ts';
import { type Gate, scopeGuard } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import {
  adminGuard,
  adminSchema,
  moment,
  namingValidator,
  organizationId,
  printable,
} from '../schemas/admin.ts';

const MAX_USER = 200;

const oneBudget = z.object({
  limitUsd: z.number(),
  spentUsd: z.number(),
  heldUsd: z.number().describe('Reserved for calls in flight'),
  remainingUsd: z.number().describe('Neither spent nor reserved; never below zero'),
  resetAt: moment.describe("When the organisation's next month begins, epoch milliseconds"),
  forecastExhaustedAt: moment
    .nullable()
    .describe('At the recent rate of spending; null if the month ends first'),
});

const budgetView = oneBudget.extend({
  key: oneBudget.optional().describe("The key's own budget, where it has one"),
  user: oneBudget.optional().describe('The budget of the requested user, if users have budgets'),
});

const userQuery = z.object({
  user: printable(MAX_USER).optional().describe('A user of the organisation'),
});

export type BudgetRouteParts = {
  readonly ledger: Pick<BudgetLedger, 'status'>;
  readonly terms: { budgetOf(principal: Principal): BudgetOwner };
  readonly organizations: Pick<OrganizationStore, 'find'>;
  readonly gate: Gate;
  readonly reads: OwnReads;
};

export function budgetRoutes(parts: BudgetRouteParts): RegisterRoutes {
  const { ledger, terms, gate, reads } = parts;
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.get(
      '/v1/budget',
      {
        ...scopeGuard(gate, 'call'),
        validatorCompiler: namingValidator,
        schema: {
          summary: "The remaining budget of the caller's organisation",
          tags: ['Usage'],
          security: [{ key: [] }],
          response: { 200: budgetView },
        },
      },
      async ({ principal, headers }) => {
        if (!principal) throw new SpillwayError('UNAUTHORIZED', 'missing credentials');
        const userId = readLabel(headers['x-user-id']);
        const readReport = () => report(ledger, terms.budgetOf(principal), userId);
        return reads(principal.organizationId, readReport);
      },
    );
    api.get(
      '/admin/orgs/:id/budget',
      {
        ...adminGuard(gate),
        schema: adminSchema('The remaining budget of an organisation', {
          params: z.object({ id: organizationId }),
          querystring: userQuery,
          response: { 200: budgetView },
        }),
      },
      async ({ params, query }) => report(ledger, await ownerOf(parts, params.id), query.user),
    );
  };
}

async function report(
  ledger: BudgetRouteParts['ledger'],
  owner: BudgetOwner,
  userId: string | undefined,
): Promise<z.infer<typeof budgetView>> {
  const [organization, key, user] = await Promise.all([
    ledger.status(owner, 'organization'),
    ledger.status(owner, 'key'),
    ledger.status(owner, 'user', userId),
  ]);
  if (!organization) throw new SpillwayError('NOT_FOUND', 'no such budget');
  return {
    ...toView(organization),
    ...(key ? { key: toView(key) } : {}),
    ...(user ? { user: toView(user) } : {}),
  };
}

/** The budget of the organisation, without the budgets of keys. */
async function ownerOf({ organizations }: BudgetRouteParts, id: string): Promise<BudgetOwner> {
  const organization = await organizations.find(id);
  if (!organization) throw new SpillwayError('NOT_FOUND', 'no such organisation');
  return {
    organizationId: id,
    keyId: '',
    timeZone: organization.timeZone,
    organizationLimitNanos: organization.monthlyBudgetNanos,
    keyLimitNanos: undefined,
    userLimitNanos: organization.userMonthlyBudgetNanos,
  };
}

function toView(status: BudgetStatus): z.infer<typeof oneBudget> {
  const { limitNanos, spentNanos, reservedNanos, resetAt, forecastExhaustedAt } = status;
  return {
    limitUsd: nanosToUsd(limitNanos),
    spentUsd: nanosToUsd(spentNanos),
    heldUsd: nanosToUsd(reservedNanos),
    remainingUsd: nanosToUsd(Math.max(0, limitNanos - spentNanos - reservedNanos)),
    resetAt,
    forecastExhaustedAt: forecastExhaustedAt ?? null,
  };
}
