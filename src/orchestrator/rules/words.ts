// Splits a text into words for the routing rules and the decision cache. Words are compared without case and accents,
// so that "Bileşenleri" and "bilesenleri" are one. A camel-case compound also yields its longer parts: "LoginButton"
// contains "button"; "GitHub" stays one word, because its parts are short. Japanese and Chinese have no spaces: the
// dictionary of the runtime divides them.

export type Word = {
  /** Lower case, without accents. */
  readonly text: string;
  readonly isCapital: boolean;
  /** The first word of a text has a capital letter whether or not it is a name. */
  readonly isFirst: boolean;
};

/** Words beyond this number say nothing new about the category of a request. */
const MAX_READ_CHARACTERS = 4000;

const MIN_PART_CHARACTERS = 5;

/** Scripts without spaces between words. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー';
const RUN = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const [raw] of text.slice(0, MAX_READ_CHARACTERS).matchAll(RUN)) {
    if (IS_UNSPACED.test(raw)) {
      for (const { segment } of segmenter.segment(raw))
        words.push({ text: fold(segment), isCapital: false, isFirst: words.length === 0 });
      continue;
    }
    const writing = { isCapital: /^\p{Lu}/u.test(raw), isFirst: words.length === 0 };
    words.push({ text: fold(raw), ...writing });
    const parts = raw.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    if (parts.length === 1) continue;
    for (const part of parts)
      if (part.length >= MIN_PART_CHARACTERS) words.push({ text: fold(part), ...writing });
  }
  return words;
}

/** Lower case without accents; the dotless i of Turkish becomes a plain one. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .replaceAll(/\p{M}/gu, '');
}
