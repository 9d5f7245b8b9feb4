// Counts the calls of a provider's own tools in the output of the Responses API, whose usage does not state them. An item
// of type `web_search_call` is one use of `web_search`, unless it only opened or searched a page that was found.

import { JsonKeys } from '../json/walk-keys.ts';

const CALLS: readonly (readonly [string, string])[] = [
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
];
const FREE_ACTIONS = ['open_page', 'find_in_page', 'find'];
const MARK = Buffer.from('_call"');

/** `itemDepth` is the depth of an item's keys. */
export function countToolCalls(bytes: Buffer, itemDepth: number): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  if (!bytes.includes(MARK)) return uses;
  const keys = new JsonKeys();
  let last: string | undefined;
  keys.start(bytes, 0, bytes.length);
  while (keys.next()) {
    if (!keys.isKey('type')) continue;
    if (keys.depth === itemDepth) {
      last = CALLS.find(([type]) => keys.isTextValue(type))?.[1];
      if (last !== undefined) uses.set(last, (uses.get(last) ?? 0) + 1);
    } else if (keys.depth === itemDepth + 1 && last === 'web_search') {
      if (FREE_ACTIONS.some((action) => keys.isTextValue(action)))
        uses.set(last, (uses.get(last) ?? 1) - 1);
    }
  }
  return uses;
}
