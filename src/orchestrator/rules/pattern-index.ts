// Finds the patterns of a rule that occur in a text. A rule has hundreds of patterns and a request few words, so patterns are
// looked up by the words of the request.

import type { Pattern } from './pattern.ts';
import type { Word } from './words.ts';

/** The patterns that occur, each with its positions in order. */
export type FindPatterns = (words: readonly Word[]) => ReadonlyMap<Pattern, readonly number[]>;

/** Prefixes are found by their first letters. */
const PREFIX_LETTERS = 2;

export function createPatternIndex(patterns: readonly Pattern[]): FindPatterns {
  const byForm = new Map<string, Pattern[]>();
  const byLetters = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    const { head } = pattern;
    if ('prefix' in head) insert(byLetters, head.prefix.slice(0, PREFIX_LETTERS), pattern);
    else for (const form of head.forms) insert(byForm, form, pattern);
  }
  return (words) => {
    const found = new Map<Pattern, number[]>();
    for (const [at, { text }] of words.entries())
      for (const pattern of [
        ...(byForm.get(text) ?? []),
        ...(byLetters.get(text.slice(0, PREFIX_LETTERS)) ?? []),
        ...(byLetters.get(text.slice(0, 1)) ?? []),
      ])
        if (pattern.matchesAt(words, at)) insert(found, pattern, at);
    return found;
  };
}

function insert<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (!known.includes(value)) known.push(value);
}
