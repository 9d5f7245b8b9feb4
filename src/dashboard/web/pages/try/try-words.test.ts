import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupScenarios, prettyBody, scenarioTitle, statusState, statusText } from './try-words.ts';

test('JSON is indented and other text stays as it is', () => {
  assert.equal(prettyBody({ body: '{"a":1}', isBodyCut: false }), '{\n  "a": 1\n}');
  assert.equal(prettyBody({ body: 'event: x\n\n', isBodyCut: false }), 'event: x\n\n');
  assert.equal(prettyBody({ body: '{"a":', isBodyCut: true }), '{"a":\n…');
});

test('a status has a state and a name', () => {
  assert.deepEqual([200, 429, 529].map(statusState), ['good', 'degraded', 'bad']);
  assert.equal(statusText(429), '429 Too Many Requests');
  assert.equal(statusText(299), '299');
});

test('scenarios are grouped by the kind of trouble', () => {
  const names = ['healthy', 'usage-limit', 'overloaded', 'forbidden', 'slow'];
  const groups = groupScenarios(names.map((name) => ({ name })));
  assert.deepEqual(
    groups.map(({ title, scenarios }) => [title, scenarios.map(({ name }) => name)]),
    [
      ['Well', ['healthy', 'slow']],
      ['Limits', ['usage-limit']],
      ['Failures', ['overloaded']],
      ['Refusals', ['forbidden']],
    ],
  );
  assert.equal(scenarioTitle('usage-limit'), 'Usage limit');
});
