// Whether a unary answer of any format has content: text, thinking, a refusal or a tool call. Read only for an answer that
// reports no output, to distinguish an empty answer from a count that is missing. Pure.

import { JsonKeys } from '../json/walk-keys.ts';

const TEXTS: ReadonlySet<string> = new Set([
  'text',
  'content',
  'thinking',
  'reasoning',
  'reasoning_content',
  'refusal',
  'arguments',
  'transcript',
]);
const OBJECTS: ReadonlySet<string> = new Set([
  'input',
  'functionCall',
  'executableCode',
  'inlineData',
]);

/** The smallest depth of content in any format: Anthropic's blocks have it. */
const MIN_DEPTH = 3;

export function hasContent(body: Buffer): boolean {
  const keys = new JsonKeys();
  keys.start(body, 0, body.length);
  while (keys.next()) {
    const name = keys.keyText() ?? '';
    // Vectors are not content, and they are long.
    if (name === 'embedding' || name === 'embeddings') return false;
    if (keys.depth < MIN_DEPTH) continue;
    if (TEXTS.has(name) && keys.textBytes() > 0) return true;
    if (OBJECTS.has(name) && keys.isObject()) return true;
  }
  return false;
}
