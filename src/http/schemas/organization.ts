// The JSON view of an organisation: dollars as numbers, null for a missing value, never the webhook secret. The request
// bodies are in organization-body.ts.

import { z } from 'zod';
import type { Organization } from '../../admission/organization.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import { moment } from './admin.ts';

export const organizationView = z.object({
  id: z.string(),
  name: z.string(),
  monthlyBudgetUsd: z.number(),
  userMonthlyBudgetUsd: z.number().nullable(),
  requestsPerMinute: z.number(),
  tokensPerMinute: z.number().nullable(),
  tokensPerDay: z.number().nullable(),
  maxConcurrent: z.number().nullable(),
  locale: z.string().nullable(),
  timeZone: z.string(),
  messages: z.record(z.string(), z.string()),
  allowStale: z.boolean(),
  allowPromptPreview: z.boolean(),
  hasWebhookSecret: z.boolean(),
  createdAt: moment,
  updatedAt: moment,
});

export function toOrganizationView(organization: Organization): z.infer<typeof organizationView> {
  const { monthlyBudgetNanos, userMonthlyBudgetNanos, webhookSecret, ...fields } = organization;
  return {
    ...fields,
    monthlyBudgetUsd: nanosToUsd(monthlyBudgetNanos),
    userMonthlyBudgetUsd:
      userMonthlyBudgetNanos === undefined ? null : nanosToUsd(userMonthlyBudgetNanos),
    tokensPerMinute: organization.tokensPerMinute ?? null,
    tokensPerDay: organization.tokensPerDay ?? null,
    maxConcurrent: organization.maxConcurrent ?? null,
    locale: organization.locale ?? null,
    hasWebhookSecret: webhookSecret !== undefined,
  };
}
