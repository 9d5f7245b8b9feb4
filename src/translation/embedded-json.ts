// Bounds the JSON inside strings of a request: arguments of tool calls and results of tools. The bounds on bodies do
// not count it, and for formats that have objects in its place it is parsed: twenty megabytes of empty lists would
// block the process for seconds. Texts that are short in total are not scanned.

import { structureOf } from '../kernel/json-depth.ts';
import { TranslationProblem } from './dialect.ts';
import type { Turn } from './neutral-request.ts';

/** Characters between the strings of all texts of a kind. */
export const MAX_EMBEDDED_STRUCTURE = 1024 * 1024;

/** Throws for a request with too many arguments to parse. */
export function checkArguments(turns: readonly Turn[]): void {
  const texts = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [part.arguments] : [])),
  );
  if (hasTooMuchStructure(texts))
    throw new TranslationProblem('arguments', 'the tool calls hold too much JSON to translate');
}

/** Results that are too large stay strings. */
export function mayParseResults(turns: readonly Turn[]): boolean {
  const texts = turns.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.kind === 'tool_result'
        ? part.parts.flatMap((each) => (each.kind === 'text' ? [each.text] : []))
        : [],
    ),
  );
  return !hasTooMuchStructure(texts);
}

function hasTooMuchStructure(texts: readonly string[]): boolean {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length <= MAX_EMBEDDED_STRUCTURE) return false;
  let left = MAX_EMBEDDED_STRUCTURE;
  for (const text of texts) left -= structureOf(text, left);
  return left <= 0;
}
