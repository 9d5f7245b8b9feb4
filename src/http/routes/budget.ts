// What the caller's organisation may still spend this month. Asked of the ledger, so that it is what the next request is
// decided by: spending counts from the moment of the answer, and what is held for calls under way is told apart.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Principal } from '../../admission/principal.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { BudgetLedger, BudgetOwner, BudgetStatus } from '../../metering/budget-ledger.ts';
import { errorAnswer, moment, namingValidator } from '../admin-schema.ts';
import { type Gate, scopeGuard } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';

const budgetView = z.object({
  limitUsd: z.number(),
  spentUsd: z.number(),
  heldUsd: z.number().describe('Set aside for calls that are under way'),
  remainingUsd: z.number().describe('Neither spent nor held; never below zero'),
  resetAt: moment.describe("When the organisation's next month begins, epoch milliseconds"),
  forecastExhaustedAt: moment
    .nullable()
    .describe('At the pace of late; null when the month ends first'),
});

export type BudgetRouteParts = {
  readonly ledger: Pick<BudgetLedger, 'status'>;
  readonly terms: { budgetOf(principal: Principal): BudgetOwner };
  readonly gate: Gate;
};

export function budgetRoutes({ ledger, terms, gate }: BudgetRouteParts): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/v1/budget',
      {
        ...scopeGuard(gate, 'call'),
        validatorCompiler: namingValidator,
        schema: {
          summary: "What the caller's organisation may still spend this month",
          tags: ['Usage'],
          security: [{ key: [] }],
          response: { 200: budgetView, '4xx': errorAnswer },
        },
      },
      async (request) => {
        const { principal } = request;
        if (!principal) throw new SpillwayError('UNAUTHORIZED', 'nobody asks');
        const status = await ledger.status(terms.budgetOf(principal), 'organization');
        if (!status) throw new SpillwayError('NOT_FOUND', 'there is no such budget');
        return toView(status);
      },
    );
  };
}

function toView(status: BudgetStatus): z.infer<typeof budgetView> {
  const { limitNanos, spentNanos, heldNanos, resetAt, forecastExhaustedAt } = status;
  return {
    limitUsd: nanosToUsd(limitNanos),
    spentUsd: nanosToUsd(spentNanos),
    heldUsd: nanosToUsd(heldNanos),
    remainingUsd: nanosToUsd(Math.max(0, limitNanos - spentNanos - heldNanos)),
    resetAt,
    forecastExhaustedAt: forecastExhaustedAt ?? null,
  };
}
