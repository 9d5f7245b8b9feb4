// The allowed values of the fields that the admin API refuses by name, as words that fit after "it must be".

import { ERROR_CODES } from '../errors/codes.ts';
import { newKeyBody } from '../http/schemas/key.ts';

const LIMIT_PER_MINUTE = 'a whole number from 1 to 1000000';
const TOKENS = 'a whole number from 1 to 1000000000000, or none';
const USD = 'an amount of US dollars from 0 to 4000000';
const TIMESTAMP = 'epoch milliseconds or an ISO time such as 2030-01-31T18:00:00Z';

export const KEY_SCOPES = newKeyBody.shape.scopes.unwrap().element.options;

const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['id', '1 to 64 letters, digits, dots, dashes or underscores'],
  ['org', '1 to 64 letters, digits, dots, dashes or underscores'],
  ['name', 'one line of 1 to 200 characters'],
  ['scopes', `one of ${KEY_SCOPES.join(', ')}`],
  ['models', 'a model, an alias or a pattern such as claude-*'],
  ['expiresAt', TIMESTAMP],
  ['resetAt', TIMESTAMP],
  ['monthlyBudgetUsd', USD],
  ['userMonthlyBudgetUsd', `${USD}, or none`],
  ['requestsPerMinute', LIMIT_PER_MINUTE],
  ['maxConcurrent', `${LIMIT_PER_MINUTE}, or none`],
  ['tokensPerMinute', TOKENS],
  ['tokensPerDay', TOKENS],
  ['locale', 'a language tag such as tr or es-MX, or none'],
  ['timeZone', 'an IANA time zone such as Europe/Istanbul'],
  ['messages', `a text in ICU MessageFormat for one of ${ERROR_CODES.join(', ')}`],
  ['provider', 'the name of a configured provider'],
  ['region', 'the name of a region, such as us-east'],
  ['model', 'the name of a model'],
  ['limit', 'a whole number from 1 to 1000'],
]);

/** `field` is the path of the refused value: `scopes.0`. */
export function refusedValue(field: string): string {
  const [name = ''] = field.split('.');
  const allowed = ALLOWED.get(name);
  return `The value of ${field} is not allowed${allowed === undefined ? '.' : `; it must be ${allowed}.`}`;
}
