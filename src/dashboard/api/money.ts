// Money: GET /admin/dashboard/money (organisations by urgency), GET /admin/dashboard/money/{organizationId} (burn-down) and
// GET /admin/dashboard/spend (by model and day). Organisations and keys are created through /admin/orgs.

/**
 * GET /admin/dashboard/money?limit&cursor → PageOf<OrganizationSpend> with totals. Organisations with spending in this month,
 * ordered by the forecast end of their budgets, then by the used share of the budget.
 */
export type MoneyPage = {
  readonly data: readonly OrganizationSpend[];
  readonly nextCursor: string | null;
  readonly total: {
    /** Organisations with spending in this month. */
    readonly organizations: number;
    readonly spentUsd: number;
    readonly reservedUsd: number;
  };
  readonly readAt: number;
};

export type OrganizationSpend = {
  readonly organizationId: string;
  readonly name: string;
  readonly monthlyBudgetUsd: number;
  readonly spentUsd: number;
  /** Reserved for calls in flight and set aside for servers. */
  readonly reservedUsd: number;
  /** spentUsd ÷ monthlyBudgetUsd, from 0; may exceed 1 after a budget was lowered; null for a budget of zero. */
  readonly usedRatio: number | null;
  /** When the budget ends at the rate of the last 7 days; null if the month ends first. */
  readonly forecastExhaustedAt: number | null;
  /** The start of the next month in the organisation's time zone. */
  readonly resetAt: number;
  readonly status: 'good' | 'degraded' | 'bad';
};

/** GET /admin/dashboard/money/{organizationId} */
export type BurnDown = {
  readonly organizationId: string;
  readonly name: string;
  readonly timeZone: string;
  readonly monthStartsAt: number;
  readonly monthEndsAt: number;
  readonly monthlyBudgetUsd: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly remainingUsd: number;
  /** One point per day from the start of the month to now: the cumulative cost at the day's end (or now). */
  readonly days: readonly {
    readonly at: number;
    readonly costUsd: number;
    readonly cumulativeUsd: number;
  }[];
  /** The line of the forecast from now to the month's end; null without spending in the last 7 days. */
  readonly forecast: {
    readonly usdPerDay: number;
    readonly monthEndUsd: number;
    readonly exhaustedAt: number | null;
  } | null;
};

/** GET /admin/dashboard/spend?from&to&org: by UTC day and model, at most 31 days and the 12 costliest models. */
export type SpendByModel = {
  readonly from: number;
  readonly to: number;
  /** Midnight UTC of each day, ascending. */
  readonly days: readonly number[];
  /** The costliest first; the last may be `other`, which sums the rest. `costUsd[i]` is of `days[i]`. */
  readonly models: readonly {
    readonly model: string;
    readonly totalUsd: number;
    readonly costUsd: readonly number[];
  }[];
  readonly totalUsd: number;
};

/** GET /admin/orgs?limit&cursor → PageOf<Organization>; GET, PATCH, DELETE /admin/orgs/{id}; POST /admin/orgs { id, name, … } */
export type Organization = {
  readonly id: string;
  readonly name: string;
  readonly monthlyBudgetUsd: number;
  readonly userMonthlyBudgetUsd: number | null;
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number | null;
  readonly tokensPerDay: number | null;
  readonly maxConcurrent: number | null;
  readonly locale: string | null;
  readonly timeZone: string;
  readonly messages: Readonly<Record<string, string>>;
  readonly allowStale: boolean;
  readonly allowPromptPreview: boolean;
  readonly hasWebhookSecret: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** GET /admin/orgs/{id}/keys → PageOf<ApiKey>; POST creates one and answers with `key`, shown once; DELETE …/{keyId} revokes. */
export type ApiKey = {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** The first characters of the key. */
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly diagnostics: boolean;
  readonly monthlyBudgetUsd: number | null;
  readonly requestsPerMinute: number | null;
  readonly models: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly createdAt: number;
};
