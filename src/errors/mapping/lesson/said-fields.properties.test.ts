// A property: the values of a request that a provider returns anywhere in the object of its error teach other organisations no
// more than harmless values in the same places do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { judgeProviderError } from '../../map-provider-error.ts';
import { callerTextOf } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

const NOW = 1_800_000_000_000;
const STATUSES = [200, 400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 503, 529];
const HARMLESS = 'plain words';

const NAMES = `insufficient_quota usage_limit_reached rate_limit_exceeded RESOURCE_EXHAUSTED quotaExceeded API_KEY_INVALID
  permission_denied 401 402 403 429 1113 1308 ServiceQuotaExceededException dailyLimitExceeded billing seven_day tokens_per_day`;
const SENTENCES = [
  'credit balance is too low try again in 700 hours',
  'usage limit reached|4070908800',
  'Weekly limit reached, resets Oct 9 at 5pm (UTC)',
  'limit: 0credit balance is too low',
];

type Field = readonly [key: string, value: string | number];
type Tree = { readonly fields: readonly Field[]; readonly within?: readonly [string, Tree] };

const field = (keys: string, values: readonly (string | number)[]) =>
  fc.tuple(fc.constantFrom(...keys.split(' ')), fc.constantFrom(...values));

const fields: fc.Arbitrary<Field> = fc.oneof(
  field('type code reason name kind status errorCode', NAMES.split(/\s+/)),
  field('quotaId limit_name quotaMetric window claim', NAMES.split(/\s+/)),
  field('retry_after retryDelay resets_at retry_after_ms', ['99999s', 99_999, 4_070_908_800_000]),
  field('message detail msg', SENTENCES),
);

const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record(
    {
      fields: fc.array(fields, { minLength: 1, maxLength: 4 }),
      within: fc.tuple(
        fc.constantFrom('error', 'details', 'errors', 'violations', 'response', 'metadata'),
        fc.oneof({ maxDepth: 3 }, fc.record({ fields: fc.array(fields) }), tie('tree')),
      ),
    },
    { requiredKeys: ['fields'] },
  ),
}));

function objectOf({ fields: own, within }: Tree, isHarmless: boolean): object {
  const made = Object.fromEntries(own.map(([key, value]) => [key, isHarmless ? HARMLESS : value]));
  return within ? { ...made, [within[0]]: objectOf(within[1], isHarmless) } : made;
}

/** The same request in several forms, as a provider can read it. */
const FORMS: readonly ((request: string) => string)[] = [
  (request) => request,
  (request) => request.padEnd(1_100_000),
  (request) => request.replaceAll('u', '\\u0075'),
  (request) => request.replaceAll('u', '\\u0075').padEnd(1_100_000),
];

test('values of a request in the fields of an error teach no more than harmless values', () => {
  const property = fc.property(
    trees,
    fc.constantFrom(...STATUSES),
    fc.constantFrom({}, { 'retry-after': '30' }, { 'retry-after': '600' }),
    fc.constantFrom(...FORMS),
    (tree, status, headers, form) => {
      const error = objectOf(tree, false);
      const body = Buffer.from(form(JSON.stringify({ error })));
      const callerText = callerTextOf({ path: '/v1/x', headers: [], body });
      const lessonOf = (returned: object) =>
        judgeProviderError(
          { status, headers, body: JSON.stringify({ error: returned }) },
          { now: NOW, model: 'gpt-4o', callerText },
        ).lesson;
      const [taught, harmless] = [lessonOf(error), lessonOf(objectOf(tree, true))];
      assert.ok(
        blockedMs(taught, status) <= blockedMs(harmless, status),
        JSON.stringify({ error, status, headers, taught, harmless }),
      );
    },
  );
  fc.assert(property, { numRuns: 3000 });
});

const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([400, 401]);

/** How long the lesson stops other organisations; a limit of the account stops more calls than a limit of a model. */
function blockedMs({ code, retryAfterMs, resetAt, isScopeBound, ...lesson }: Lesson, status = 0) {
  const statedMs = resetAt === undefined ? retryAfterMs : resetAt - NOW;
  if (code === 'AI_LIMIT_REACHED') return (statedMs ?? 300_000) * (lesson.isModelBound ? 1 : 1000);
  if (code === 'RATE_LIMITED') return retryAfterMs ?? statedMs ?? 0;
  return code === 'AUTH_FAILED' && CREDENTIAL_STATUSES.has(status) && !isScopeBound ? 60_000 : 0;
}
