// An organisation: its budget, limits and permissions. A caller's permissions follow from its organisation and its key.
// Money is integer nano-dollars.

export type Organization = {
  readonly id: string;
  readonly name: string;
  readonly monthlyBudgetNanos: number;
  /** The monthly budget of each of its users. */
  readonly userMonthlyBudgetNanos?: number;
  readonly requestsPerMinute: number;
  readonly tokensPerMinute?: number;
  readonly tokensPerDay?: number;
  readonly maxConcurrent?: number;
  readonly locale?: string;
  readonly timeZone: string;
  /** The organisation's own sentences, by error code; see docs/errors.md. */
  readonly messages: Readonly<Record<string, string>>;
  readonly allowStale: boolean;
  readonly allowPromptPreview: boolean;
  /** Signs callbacks. A secret: no response shows it. */
  readonly webhookSecret?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** The fields an operator may change; null removes an optional value. */
export type OrganizationChange = {
  readonly name?: string;
  readonly monthlyBudgetNanos?: number;
  readonly userMonthlyBudgetNanos?: number | null;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number | null;
  readonly tokensPerDay?: number | null;
  readonly maxConcurrent?: number | null;
  readonly locale?: string | null;
  readonly timeZone?: string;
  readonly messages?: Readonly<Record<string, string>>;
  readonly allowStale?: boolean;
  readonly allowPromptPreview?: boolean;
  readonly webhookSecret?: string | null;
};

export const DEFAULT_ORGANIZATION_ID = 'default';

const ORGANIZATION_DEFAULTS = Object.freeze({
  monthlyBudgetNanos: 100_000_000_000,
  requestsPerMinute: 100,
  timeZone: 'UTC',
  messages: Object.freeze({}),
  allowStale: false,
  allowPromptPreview: false,
});

export function newOrganization(
  given: Partial<Organization> & { readonly id: string },
  now: number,
): Organization {
  return { name: given.id, ...ORGANIZATION_DEFAULTS, ...given, createdAt: now, updatedAt: now };
}
