// The inflected forms of an English word: plurals, past forms and -ing forms. A list of forms instead of a stem: cutting
// endings off would make "committee" a form of "commit".

const VOWELS = 'aeiou';

/** The word itself comes first. */
export function inflectionsOf(word: string): readonly string[] {
  if (!/^[a-z]{2,}$/.test(word)) return [word];
  if (word.length < 3) return [word, `${word}s`];
  return [word, ...new Set([...plurals(word), ...verbForms(word)])];
}

function plurals(word: string): readonly string[] {
  if (endsInConsonantAndY(word)) return [`${word.slice(0, -1)}ies`];
  return /(?:s|x|z|ch|sh)$/.test(word) ? [`${word}es`] : [`${word}s`];
}

function verbForms(word: string): readonly string[] {
  if (word.endsWith('e')) return [`${word}d`, `${word.slice(0, -1)}ing`];
  if (endsInConsonantAndY(word)) return [`${word.slice(0, -1)}ied`, `${word}ing`];
  const regular = [`${word}ed`, `${word}ing`];
  if (!doublesItsEnd(word)) return regular;
  const doubled = word + word.at(-1);
  return [...regular, `${doubled}ed`, `${doubled}ing`];
}

function endsInConsonantAndY(word: string): boolean {
  return word.endsWith('y') && !VOWELS.includes(word.at(-2) ?? '');
}

/** True for words that end in consonant, vowel, consonant, such as "commit" and "debug", unlike "stash". */
function doublesItsEnd(word: string): boolean {
  const [before, vowel, last] = word.slice(-3);
  return (
    !VOWELS.includes(before ?? '') &&
    VOWELS.includes(vowel ?? '') &&
    !`${VOWELS}wxy`.includes(last ?? '')
  );
}
