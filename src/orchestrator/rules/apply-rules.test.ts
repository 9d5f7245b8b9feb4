import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FURTHER_REQUESTS } from '../fixtures/further-requests.ts';
import { LABELLED_REQUESTS, type Label } from '../fixtures/labelled-requests.ts';
import { UNSEEN_REQUESTS } from '../fixtures/unseen-requests.ts';
import { DEFAULT_RULES } from '../vocabulary/default-rules.ts';
import { createApplyRules } from './apply-rules.ts';

const applyDefaults = createApplyRules(DEFAULT_RULES);

const LABEL_OF_SKILL: Readonly<Record<string, Label>> = {
  'frontend-ui-ux': 'interface',
  'git-master': 'git',
  playwright: 'browser',
  'mcp-integration': 'integration',
};

function labelOf(message: string): Label {
  const [skill = ''] = applyDefaults(message)?.skills ?? [];
  return LABEL_OF_SKILL[skill] ?? 'none';
}

function rule(given: Partial<(typeof DEFAULT_RULES)[number]>) {
  return { category: 'c', skills: [], keywords: [], hints: [], exceptions: [], ...given };
}

for (const [name, requests, size] of [
  ['labelled', LABELLED_REQUESTS, 200],
  ['further', FURTHER_REQUESTS, 160],
  ['unseen', UNSEEN_REQUESTS, 150],
] as const)
  test(`the default rules decide 70 % of the ${name} requests of a category, 90 % of them right`, (t) => {
    assert.equal(requests.length, size);
    const ofCategory = requests.filter(([label]) => label !== 'none');
    const covered = ofCategory.filter(([, message]) => labelOf(message) !== 'none');
    const decided = requests.filter(([, message]) => labelOf(message) !== 'none');
    const wrong = decided.filter(([label, message]) => labelOf(message) !== label);
    t.diagnostic(
      `${covered.length} of ${ofCategory.length} covered, ${wrong.length} of ${decided.length} wrong`,
    );
    assert.ok(covered.length / ofCategory.length >= 0.7, `covered ${covered.length}`);
    assert.ok(wrong.length / decided.length <= 0.1, JSON.stringify(wrong));
  });

test('a keyword inside another word is not taken', () => {
  for (const word of 'suite building guide fruit digit legitimate digital committee commitment author latest protest contest emergency submerged linearly reactor subgit slackening'.split(
    ' ',
  ))
    assert.equal(labelOf(`Tell me about the ${word}`), 'none', word);
});

test('inflections of a keyword are taken', () => {
  for (const [message, label] of [
    ['these components', 'interface'],
    ['it was committed', 'git'],
    ['committing it', 'git'],
    ['what is merging', 'git'],
    ['I am testing it', 'browser'],
    ['three browsers', 'browser'],
    ['integrating both', 'integration'],
  ] as const)
    assert.equal(labelOf(message), label, message);
});

test('the task of a request decides, not the tool that it names', () => {
  assert.equal(labelOf('Commit the new React component'), 'git');
  assert.equal(labelOf('Test the React component in the sidebar'), 'browser');
  assert.equal(labelOf('Please take a screenshot of the UI components'), 'browser');
  assert.equal(labelOf('Create Linear issues for the failing tests'), 'integration');
});

test('case, accents and punctuation do not matter', () => {
  assert.equal(labelOf('COMMIT!!! NOW???'), 'git');
  assert.equal(labelOf('bıleşenlerı düzenle: BİLEŞENLER'), 'interface');
  assert.equal(labelOf('bilesenleri duzenle'), 'interface');
});

test('an exception in lower case does not count, a name in it does', () => {
  const rules = [rule({ keywords: ['=react'], exceptions: ['react to'] })];
  const apply = createApplyRules(rules);
  assert.equal(apply('how does it react to heat'), undefined);
  assert.equal(apply('how do I migrate React to another version')?.category, 'c');
});

test('an exception with a companion applies where the companion occurs anywhere', () => {
  const apply = createApplyRules([
    rule({ keywords: ['branch'], exceptions: ['branch + tree|bank'] }),
  ]);
  assert.equal(apply('the branches of that old tree'), undefined);
  assert.equal(apply('a bank opens a branch'), undefined);
  assert.equal(apply('delete the branch')?.category, 'c');
});

test('words of scripts without spaces are divided', () => {
  assert.equal(labelOf('ボタンの色を変更してください'), 'interface');
  assert.equal(labelOf('Slackにメッセージを送って'), 'integration');
  assert.equal(labelOf('帮我合并这两个分支'), 'git');
  assert.equal(labelOf('日本の首都はどこですか'), 'none');
});

test('hints decide only together, and the earlier rule wins a tie', () => {
  const rules = [
    rule({ category: 'first', keywords: ['alpha'], hints: ['one', 'two', 'three'] }),
    rule({ category: 'second', keywords: ['beta'] }),
  ];
  const apply = createApplyRules(rules);
  assert.equal(apply('one'), undefined);
  assert.equal(apply('one one one'), undefined);
  assert.equal(apply('one two')?.category, 'first');
  assert.equal(apply('about alpha or beta')?.category, 'first');
  assert.equal(apply('beta or alpha')?.category, 'second');
});

test('any text gives a decision of the rules or none, whatever its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (message) => {
      const decision = applyDefaults(message.repeat(20));
      const isOfRules = DEFAULT_RULES.some(({ category }) => category === decision?.category);
      assert.ok(decision === undefined || isOfRules);
    }),
  );
});

test('a keyword without a letter matches nothing', () => {
  const apply = createApplyRules([rule({ keywords: ['-', ' '] })]);
  assert.equal(apply('anything at all'), undefined);
});
