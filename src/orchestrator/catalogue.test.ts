import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCatalogue, systemPromptOf, unknownReference } from './catalogue.ts';

const NOTHING = { categories: {}, skills: {}, rules: undefined, defaultCategory: undefined };

test('the defaults refer to nothing that they do not define', () => {
  assert.equal(unknownReference(buildCatalogue(NOTHING)), undefined);
});

test('a configured category changes only the stated fields, and configured rules replace the defaults', () => {
  const catalogue = buildCatalogue({
    ...NOTHING,
    categories: { quick: { run: 'job' }, sql: { model: 'openai/gpt-5-mini' } },
    skills: { sql: 'You write SQL.' },
    rules: { sql: { category: 'sql', skills: ['sql'], keywords: ['query'] } },
  });
  assert.equal(catalogue.categories.get('quick')?.run, 'job');
  assert.match(catalogue.categories.get('quick')?.about ?? '', /version control/);
  assert.deepEqual(
    catalogue.rules.map(({ category }) => category),
    ['sql'],
  );
  assert.equal(systemPromptOf(catalogue, { category: 'sql', skills: ['sql'] }), 'You write SQL.');
  assert.equal(systemPromptOf(catalogue, { category: 'sql', skills: [] }), undefined);
});

test('an unknown category or skill of a rule is named', () => {
  const rules = { a: { category: 'quick', skills: ['nope'], keywords: ['x'] } };
  assert.equal(unknownReference(buildCatalogue({ ...NOTHING, rules })), 'skill nope');
  const built = buildCatalogue({ ...NOTHING, defaultCategory: 'nowhere' });
  assert.equal(unknownReference(built), 'category nowhere');
});
