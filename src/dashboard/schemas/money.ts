// The schemas of the readings of money.

import { z } from 'zod';
import { moment } from '../../http/schemas/admin.ts';
import type { BurnDown, MoneyPage, OrganizationSpend, SpendByModel } from '../api/money.ts';

const usd = z.number();

const organizationSpend: z.ZodType<OrganizationSpend> = z.object({
  organizationId: z.string(),
  name: z.string(),
  monthlyBudgetUsd: usd,
  spentUsd: usd,
  reservedUsd: usd,
  usedRatio: z.number().nullable(),
  forecastExhaustedAt: moment.nullable(),
  resetAt: moment,
  status: z.enum(['good', 'degraded', 'bad']),
});

export const moneyView: z.ZodType<MoneyPage> = z.object({
  data: z.array(organizationSpend).readonly(),
  nextCursor: z.string().nullable(),
  total: z.object({ organizations: z.int(), spentUsd: usd, reservedUsd: usd }),
  readAt: moment,
});

export const burnDownView: z.ZodType<BurnDown> = z.object({
  organizationId: z.string(),
  name: z.string(),
  timeZone: z.string(),
  monthStartsAt: moment,
  monthEndsAt: moment,
  monthlyBudgetUsd: usd,
  spentUsd: usd,
  reservedUsd: usd,
  remainingUsd: usd,
  days: z.array(z.object({ at: moment, costUsd: usd, cumulativeUsd: usd })).readonly(),
  forecast: z
    .object({ usdPerDay: usd, monthEndUsd: usd, exhaustedAt: moment.nullable() })
    .nullable(),
});

export const spendView: z.ZodType<SpendByModel> = z.object({
  from: moment,
  to: moment,
  days: z.array(moment).readonly(),
  models: z
    .array(z.object({ model: z.string(), totalUsd: usd, costUsd: z.array(usd).readonly() }))
    .readonly(),
  totalUsd: usd,
});
