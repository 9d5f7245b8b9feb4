import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createApplyRules } from '../rules/apply-rules.ts';
import { DEFAULT_RULES } from '../vocabulary/default-rules.ts';
import { DecisionCache } from './decision-cache.ts';

const DAY_MS = 24 * 3_600_000;
const decision = { category: 'quick', skills: ['git-master'] };
const applyRules = createApplyRules(DEFAULT_RULES);

function newCache() {
  const clock = createTestClock();
  return { clock, cache: new DecisionCache(clock, applyRules) };
}

test('the same request in another spelling finds its decision', () => {
  const { cache } = newCache();
  cache.store('acme', 'Tidy up the Änderungen, please!', decision);
  assert.equal(cache.find('acme', '  tidy UP the anderungen please'), decision);
});

test('nearly the same request finds the decision, another one does not', () => {
  const { cache } = newCache();
  cache.store(
    'acme',
    'Tidy up all of the old files in the archive folder of the project',
    decision,
  );
  const nearly = 'Tidy up all of the old files in the archive folder of that project';
  assert.equal(cache.find('acme', nearly), decision);
  assert.equal(cache.find('acme', 'Tidy up the garden'), undefined);
});

test('nearly the same words of another rule are another request', () => {
  const { cache } = newCache();
  cache.store('acme', 'Please write down for all of us how the new git works today', decision);
  const other = 'Please write down for all of us how the new slack works today';
  assert.equal(cache.find('acme', other), undefined);
});

test('an organisation never finds the decision of another one', () => {
  const { cache } = newCache();
  cache.store('acme', 'Do it', decision);
  assert.equal(cache.find('rival', 'Do it'), undefined);
});

test('a decision is forgotten after a day', async () => {
  const { cache, clock } = newCache();
  cache.store('acme', 'Do it', decision);
  await clock.advance(DAY_MS + 1);
  assert.equal(cache.find('acme', 'Do it'), undefined);
});

test('the entries of one organisation and of all are bounded, and a busy one evicts no other', () => {
  const { cache } = newCache();
  cache.store('quiet', 'Do it', decision);
  for (let index = 0; index < 1000; index += 1) cache.store('busy', `request ${index}`, decision);
  assert.equal(cache.size, 201);
  assert.equal(cache.find('quiet', 'Do it'), decision);
  for (let index = 0; index < 10_500; index += 1) cache.store(`org${index}`, 'Do it', decision);
  assert.equal(cache.size, 10_000);
});
