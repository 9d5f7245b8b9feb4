import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { CATALOGUES, MESSAGE_KEYS } from './catalogues.ts';
import { ERROR_CODES } from './codes.ts';
import { LOCALES } from './locale.ts';

test('English has a sentence for every code', () => {
  for (const code of ERROR_CODES) {
    assert.ok(
      MESSAGE_KEYS.some((key) => key === code || key.startsWith(`${code}.`)),
      code,
    );
  }
});

for (const locale of LOCALES) {
  const catalogue = CATALOGUES[locale];
  suite(`locales/${locale}.json`, () => {
    test('every catalogue has exactly the keys of the English one, in the same order', () => {
      assert.deepEqual(Object.keys(catalogue), MESSAGE_KEYS);
    });

    test('every message is valid ICU and uses only the arguments of the English message', () => {
      for (const key of MESSAGE_KEYS) {
        const known = new Set([...argumentsOf(CATALOGUES.en[key]), 'hour']);
        const used = argumentsOf(catalogue[key]);
        assert.ok(used.isSubsetOf(known), `${key} uses ${[...used].join(', ')}`);
        for (const name of known) {
          if (name !== 'hour') assert.ok(used.has(name), `${key} leaves out ${name}`);
        }
      }
    });

    test('every plural uses the plural categories of its language and no others', () => {
      const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
      for (const key of MESSAGE_KEYS) {
        for (const category of categoriesOf(catalogue[key])) {
          const isKnown = category.startsWith('=') || pluralCategories.some((c) => c === category);
          assert.ok(isKnown, `${key} uses ${category}`);
        }
      }
    });

    test('every message starts with a capital or caseless letter, ends with a full stop and has no straight apostrophe', () => {
      for (const key of MESSAGE_KEYS) {
        assert.match(catalogue[key], /[.。]$/u, key);
        assert.doesNotMatch(catalogue[key], /^\p{Ll}|'| {2}/u, key);
      }
    });

    test('no message names a provider', () => {
      const vendors = /claude|anthropic|openai|gpt|gemini|google|bedrock|azure|mistral/i;
      for (const key of MESSAGE_KEYS) assert.doesNotMatch(catalogue[key], vendors, key);
    });

    test('is a translation', () => {
      if (locale === 'en') return;
      for (const key of MESSAGE_KEYS) assert.notEqual(catalogue[key], CATALOGUES.en[key], key);
    });
  });
}

function argumentsOf(text: string): Set<string> {
  const names = new Set<string>();
  visit(parse(text), (element) => {
    if (element.type !== TYPE.literal && element.type !== TYPE.pound) names.add(element.value);
  });
  return names;
}

function categoriesOf(text: string): string[] {
  const categories: string[] = [];
  visit(parse(text), (element) => {
    if (element.type === TYPE.plural) categories.push(...Object.keys(element.options));
  });
  return categories;
}

function visit(
  elements: MessageFormatElement[],
  see: (element: MessageFormatElement) => void,
): void {
  for (const element of elements) {
    see(element);
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue;
    for (const option of Object.values(element.options)) visit(option.value, see);
  }
}
