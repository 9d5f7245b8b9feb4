// Counts the searches of Gemini's grounding, which its usage does not state. From Gemini 3 on Google charges each search query
// that the model ran; earlier models are charged once for a grounded prompt. The answer lists the queries, and its
// `modelVersion` decides; an answer without one is charged per query. Elements of a stream may repeat their lists or add to them,
// so that the number of different queries counts, and at least the longest list.

import { readList } from '../json/peek-fields.ts';
import { JsonKeys } from '../json/walk-keys.ts';
import type { RawCounts } from './usage-counts.ts';
import { raiseToolUses } from './usage-extras.ts';

/** The different queries of one answer. */
export type SeenQueries = Set<string>;

const LISTS = ['webSearchQueries', 'imageSearchQueries'];
/** The depth of the keys of `candidates[i].groundingMetadata`. */
const QUERIES_DEPTH = 4;
/** Both lists end in this; in the model's text the quote is escaped. */
const MARK = Buffer.from('SearchQueries"');
/** More queries than a model runs for a prompt. */
const MAX_QUERIES = 1000;

/** Whether the walker is at a list of queries. */
export function isQueryList(keys: JsonKeys): boolean {
  return keys.depth === QUERIES_DEPTH && keys.isList() && LISTS.some((name) => keys.isKey(name));
}

export function listsQueries(body: Buffer): boolean {
  return body.includes(MARK);
}

/** Adds the queries of one response, which is an answer or an element of a stream. */
export function addSearches(
  counts: RawCounts,
  seen: SeenQueries,
  bytes: Buffer,
  start: number,
  end: number,
): void {
  const keys = new JsonKeys();
  let queries = 0;
  let model: string | undefined;
  keys.start(bytes, start, end);
  while (keys.next()) {
    if (isQueryList(keys)) queries += addQueries(seen, readList(bytes, keys.takeValue()));
    else if (keys.depth === 1 && keys.isKey('modelVersion')) model = keys.textValue();
  }
  const uses = Math.max(queries, seen.size);
  raiseToolUses(counts, 'google_search', isChargedPerPrompt(model) ? Math.min(1, uses) : uses);
}

/** An empty query is not charged. */
function addQueries(seen: SeenQueries, list: readonly unknown[]): number {
  const queries = list.filter((query) => typeof query === 'string' && query !== '');
  for (const query of queries)
    if (typeof query === 'string' && seen.size < MAX_QUERIES) seen.add(query);
  return queries.length;
}

function isChargedPerPrompt(model: string | undefined): boolean {
  return model !== undefined && /^(?:models\/)?gemini-[12]\b/.test(model);
}
