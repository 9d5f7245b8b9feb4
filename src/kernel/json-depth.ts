// Bounds the nesting of JSON from outside before it is parsed. JSON.parse keeps a frame per open bracket: a body of
// three million brackets blocks the process for seconds, and a value of that depth overflows the stack of every
// function that walks it. It takes one pass over the text and no allocation; malformed text is left to the parser.

/** Deeper than any request of an SDK; Google's parser refuses more than 100 levels. */
export const MAX_JSON_DEPTH = 200;

/** True for a text with more open objects and arrays at once than `maxDepth`. */
export function isNestedTooDeeply(json: string, maxDepth = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at + 1);
        if (at < 0) return false;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > maxDepth) return true;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
    }
  }
  return false;
}

/** The characters between the strings of a JSON text, each string as one; at most `max`. A string without an end counts in full. */
export function structureOf(json: string, max: number): number {
  let count = 0;
  for (let at = 0; at < json.length && count < max; at += 1) {
    count += 1;
    if (json.charCodeAt(at) !== QUOTE) continue;
    at = endOfString(json, at + 1);
    if (at < 0) return Math.min(max, count + json.length);
  }
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The position of the closing quote of the string that begins at `from`; -1 if it does not end. */
function endOfString(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    if (!isEscaped(json, quote, from)) return quote;
  }
  return -1;
}

function isEscaped(json: string, quote: number, from: number): boolean {
  let run = quote - 1;
  while (run >= from && json.charCodeAt(run) === BACKSLASH) run -= 1;
  return ((quote - run) & 1) === 0;
}
