// A text without the words it quotes. Validation messages quote the request they complain about, and a
// request may contain anything. One pass; an apostrophe inside a word is not a quote.

export function withoutQuotes(text: string): string {
  let kept = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const close = CLOSING[text[index] ?? ''];
    if (close === undefined || isInWord(text, index)) continue;
    const end = text.indexOf(close, index + 1);
    if (end === -1 || end - index > LONGEST_QUOTE) continue;
    kept += `${text.slice(from, index)} `;
    from = end + 1;
    index = end;
  }
  return kept + text.slice(from);
}

// A longer quotation is a message in quotes, not a word of the request.
const LONGEST_QUOTE = 80;

const CLOSING: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '“': '”',
  '‘': '’',
  '«': '»',
};

function isInWord(text: string, index: number): boolean {
  return text[index] === "'" && /[a-z]/i.test(text[index - 1] ?? '');
}
