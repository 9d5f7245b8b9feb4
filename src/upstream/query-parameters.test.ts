import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchNativeRoute } from './native-route.ts';
import { checkQuery } from './query-parameters.ts';

const NONE: ReadonlySet<string> = new Set();
const STREAM = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
const UNARY = '/v1beta/models/gemini-2.5-pro:generateContent';

function check(url: string, alsoAllowed = NONE): string {
  const route = matchNativeRoute(url);
  assert.ok(route);
  const checked = checkQuery(route, alsoAllowed);
  return 'refused' in checked ? `refused ${checked.refused}` : checked.query;
}

test('the parameters of the official SDKs pass', () => {
  assert.equal(check(`${STREAM}?alt=sse&key=secret`), '?alt=sse');
  assert.equal(check(`${UNARY}?alt=json`), '?alt=json');
  assert.equal(check(UNARY), '');
  assert.equal(check('/v1/messages?beta=true'), '?beta=true');
});

test('a parameter that can remove the usage is refused by name', () => {
  for (const name of ['fields', '$fields', '$alt', 'pp', 'prettyPrint', '$.xgafv', 'callback'])
    assert.equal(check(`${UNARY}?${encodeURIComponent(name)}=1`), `refused ${name}`);
  assert.equal(check(`${UNARY}?%66ields=candidates`), 'refused fields');
  assert.equal(check('/v1/chat/completions?fields=id'), 'refused fields');
});

test('other forms of an answer and repeated parameters are refused', () => {
  assert.equal(check(`${STREAM}?alt=proto`), 'refused alt');
  assert.equal(check(`${UNARY}?alt=sse`), 'refused alt');
  assert.equal(check(`${STREAM}?alt=sse&alt=json`), 'refused alt');
});

test('the operator can allow a parameter', () => {
  assert.equal(check('/v1/chat/completions?trace=1', new Set(['trace'])), '?trace=1');
});
