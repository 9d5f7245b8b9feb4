// The request bodies for organisations. Message templates are also validated: callers see them.

import { z } from 'zod';
import type { NewOrganization } from '../../admission/administer-organizations.ts';
import type { OrganizationChange } from '../../admission/organization.ts';
import { MESSAGE_KEYS } from '../../errors/catalogues.ts';
import { ERROR_CODES } from '../../errors/codes.ts';
import { isTimeZone, LOCALES } from '../../errors/locale.ts';
import { overrideProblem } from '../../errors/render-error.ts';
import { usdToNanos } from '../../kernel/money.ts';
import { organizationId, shownName, usdAmount } from './admin.ts';

const MAX_PER_MINUTE = 1_000_000;
const MAX_TOKENS = 1_000_000_000_000;
const MAX_MESSAGES = 300;

/** Aliases such as US/Eastern are also accepted. */
const TIME_ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** An error code or a key of the catalogue, for all languages, or for a single language with a prefix such as `tr:`. */
const MESSAGE_NAME = new RegExp(
  `^((${LOCALES.join('|')}):)?(${[...new Set([...ERROR_CODES, 'BACKGROUND_PAUSED', ...MESSAGE_KEYS])].join('|').replaceAll('.', '[.]')})$`,
);

/** The documented pattern leaves out plural and select arguments, which no pattern can describe. */
const sentence = z.string().min(1).max(2000).refine(isSentence).meta({
  description: 'Arguments in braces; plural and select of ICU MessageFormat are accepted, too',
  pattern: '^([^{}\\u0000]|[{][a-zA-Z]+[}])+$',
});

const tokens = z.int().min(1).max(MAX_TOKENS).nullable();

const settings = {
  name: shownName,
  monthlyBudgetUsd: usdAmount.describe('US dollars per month; default: 100'),
  userMonthlyBudgetUsd: usdAmount
    .nullable()
    .describe('Per user, within the budget of the organisation'),
  requestsPerMinute: z.int().min(1).max(MAX_PER_MINUTE).describe('Default: 100'),
  tokensPerMinute: tokens,
  tokensPerDay: tokens,
  maxConcurrent: z.int().min(1).max(MAX_PER_MINUTE).nullable(),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$/)
    .nullable()
    .describe('A BCP 47 tag: language, script, region'),
  timeZone: z
    .string()
    .max(64)
    .refine(isTimeZone)
    .meta({ description: 'An IANA name, e.g. Europe/Istanbul', enum: TIME_ZONES }),
  messages: z
    .record(z.string().regex(MESSAGE_NAME), sentence)
    .refine((messages) => Object.keys(messages).length <= MAX_MESSAGES)
    .describe('Own sentences by error code, in ICU MessageFormat'),
  allowStale: z.boolean(),
  allowPromptPreview: z.boolean(),
};

export const organizationChange = z.strictObject(settings).partial();
export const newOrganizationBody = z.strictObject({ id: organizationId, ...settings }).partial();

export function toOrganizationChange(body: z.infer<typeof organizationChange>): OrganizationChange {
  const { monthlyBudgetUsd, userMonthlyBudgetUsd, ...rest } = body;
  return {
    ...rest,
    ...(monthlyBudgetUsd === undefined ? {} : { monthlyBudgetNanos: usdToNanos(monthlyBudgetUsd) }),
    ...(userMonthlyBudgetUsd === undefined
      ? {}
      : { userMonthlyBudgetNanos: nanosOrNull(userMonthlyBudgetUsd) }),
  };
}

/** In the body of a creation null means no value. */
export function toNewOrganization({
  id,
  ...body
}: z.infer<typeof newOrganizationBody>): NewOrganization {
  const change = toOrganizationChange(body);
  return {
    ...change,
    ...(id === undefined ? {} : { id }),
    userMonthlyBudgetNanos: change.userMonthlyBudgetNanos ?? undefined,
    tokensPerMinute: change.tokensPerMinute ?? undefined,
    tokensPerDay: change.tokensPerDay ?? undefined,
    maxConcurrent: change.maxConcurrent ?? undefined,
    locale: change.locale ?? undefined,
  };
}

function nanosOrNull(usd: number | null): number | null {
  return usd === null ? null : usdToNanos(usd);
}

function isSentence(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && overrideProblem(text) === undefined;
}
