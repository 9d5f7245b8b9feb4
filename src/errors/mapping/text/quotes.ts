// Splits a text into quoted and unquoted parts. Validation messages quote the request, and a request can
// contain any phrase. An apostrophe inside a word is not a quote.

export type Quoted = { readonly outside: string; readonly inside: string };

export function splitQuotes(text: string): Quoted {
  if (!ANY_QUOTE.test(text)) return { outside: text, inside: '' };
  let outside = '';
  let inside = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const close = CLOSING[text[index] ?? ''];
    if (close === undefined || isInWord(text, index)) continue;
    const end = text.slice(index + 1, index + 1 + MAX_QUOTE).indexOf(close);
    if (end === -1) continue;
    outside += `${text.slice(from, index)} `;
    inside += `${text.slice(index + 1, index + 1 + end)} | `;
    index += end + 1;
    from = index + 1;
  }
  return { outside: outside + text.slice(from), inside };
}

// A longer quotation is a quoted message, not a word of the request.
const MAX_QUOTE = 80;

const ANY_QUOTE = /['"`“‘«]/;

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
