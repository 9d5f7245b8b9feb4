// The exceptions of a rule: words that do not count because they have another sense in the text. A phrase matches words
// in lower case; a capitalised word is taken for a name and does not match. `word + other|another`: the word does not
// count in a text that has a companion word anywhere, such as "branch" in a text about a tree.

import { compilePattern, type Pattern } from './pattern.ts';
import { createPatternIndex, type FindPatterns } from './pattern-index.ts';
import type { Word } from './words.ts';

/** The positions of the words that do not count. */
export type FindExceptions = (words: readonly Word[]) => ReadonlySet<number>;

export function createExceptions(given: readonly string[]): FindExceptions {
  const companionsOf = new Map<Pattern, FindPatterns>();
  const patterns = given.map((text) => {
    const [phrase = '', companions] = text.split(' + ');
    const pattern = compilePattern(phrase);
    if (companions !== undefined)
      companionsOf.set(
        pattern,
        createPatternIndex(companions.split('|').map((other) => compilePattern(other))),
      );
    return pattern;
  });
  const find = createPatternIndex(patterns);
  return (words) => {
    const excepted = new Set<number>();
    for (const [pattern, positions] of find(words)) {
      if (companionsOf.get(pattern)?.(words).size === 0) continue;
      for (const at of positions)
        if (words.slice(at, at + pattern.length).every(isOrdinaryWord))
          for (let index = at; index < at + pattern.length; index += 1) excepted.add(index);
    }
    return excepted;
  };
}

/** The first word of a text is capitalised whether or not it is a name. */
function isOrdinaryWord({ isCapital, isFirst }: Word): boolean {
  return !isCapital || isFirst;
}
