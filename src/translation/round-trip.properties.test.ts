// Random requests survive every pair of dialects there and back, with every feature that both have. The features of
// each dialect are in `random-requests.ts`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparableRequest } from '../../test/support/translation/comparable-request.ts';
import { requestsOf } from '../../test/support/translation/random-requests.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import { Losses } from './losses.ts';
import { DIALECTS, type DialectName, type NeutralRequest } from './neutral-request.ts';

for (const first of DIALECTS)
  for (const second of DIALECTS) {
    const way = first === second ? [first] : [first, second, first];

    test(`a request survives ${way.join(' → ')}`, () => {
      fc.assert(
        fc.property(requestsOf(first, second), (given) => {
          const read = way.reduce((request, name) => throughRequest(name, request), given);
          assert.deepEqual(comparableRequest(read, ...way), comparableRequest(given, ...way));
        }),
        { numRuns: 60 },
      );
    });
  }

function throughRequest(name: DialectName, given: NeutralRequest): NeutralRequest {
  const dialect = DIALECTS_BY_NAME[name];
  const losses = new Losses('strict');
  const sent: unknown = JSON.parse(
    JSON.stringify(dialect.writeRequest(given, { maxOutputTokens: 4096 }, losses)),
  );
  assert.ok(isObject(sent));
  return dialect.readRequest(sent, { model: given.model, isStream: given.isStream }, losses);
}
