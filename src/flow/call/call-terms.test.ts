import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_TARGET } from '../../../test/support/upstream/openai-target.ts';
import { newOrganization } from '../../admission/organization.ts';
import { type Principal, toPrincipal } from '../../admission/principal.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { createCallTerms, joinTerms, limitsOfCaller } from './call-terms.ts';

const KEY = {
  id: 'key_1',
  organizationId: 'acme',
  name: 'k',
  hash: 'h',
  prefix: 'p',
  scopes: ['call'],
  diagnostics: false,
  createdAt: 1,
} as const;

const ACCOUNT = joinTerms([
  { tier: 'provider', subject: 'openai', kind: 'requests', max: 500, windowMs: 60_250 },
]);

function principalOf(settings: object = {}, key: object = {}): Principal {
  const organization = newOrganization({ id: 'acme', ...settings }, 1);
  const principal = toPrincipal({ key: { ...KEY, ...key }, organization });
  assert.ok(principal);
  return principal;
}

function named({ tier, subject, kind, max }: Limit): string {
  return `${tier} ${subject} ${kind} ${max}`;
}

test("the organisation's own limits come first, then the key's, then the account's", () => {
  const principal = principalOf(
    { tokensPerMinute: 1000, tokensPerDay: 9000, maxConcurrent: 3 },
    { requestsPerMinute: 7 },
  );
  const { limits, countsTokens } = createCallTerms(() => ACCOUNT).forRequest(
    principal,
    OPENAI_TARGET,
  );
  assert.deepEqual(limits.map(named), [
    'organization acme requests 100',
    'organization acme tokens 1000',
    'organization acme tokens_per_day 9000',
    'organization acme concurrent 3',
    'key key_1 requests 7',
    'provider openai requests 500',
  ]);
  assert.equal(countsTokens, true);
});

test('an absent limit is not part of the decision', () => {
  assert.deepEqual(limitsOfCaller(principalOf()).map(named), ['organization acme requests 100']);
  const { countsTokens } = createCallTerms(() => ACCOUNT).forRequest(principalOf(), OPENAI_TARGET);
  assert.equal(countsTokens, false);
});

test('terms are computed once per caller and account', () => {
  const terms = createCallTerms(() => ACCOUNT);
  const [one, other] = [principalOf(), principalOf()];
  assert.equal(terms.forRequest(one, OPENAI_TARGET), terms.forRequest(one, OPENAI_TARGET));
  assert.notEqual(terms.forRequest(one, OPENAI_TARGET), terms.forRequest(other, OPENAI_TARGET));
  assert.equal(terms.budgetOf(one), terms.budgetOf(one));
  assert.equal(terms.forAccount(OPENAI_TARGET), ACCOUNT);
});

test('the budget owner has the limits of organisation, key and user', () => {
  const principal = principalOf({ timeZone: 'Europe/Istanbul' }, { monthlyBudgetNanos: 5 });
  assert.deepEqual(createCallTerms(() => ACCOUNT).budgetOf(principal), {
    organizationId: 'acme',
    keyId: 'key_1',
    timeZone: 'Europe/Istanbul',
    organizationLimitNanos: principal.monthlyBudgetNanos,
    keyLimitNanos: 5,
    userLimitNanos: undefined,
  });
});
