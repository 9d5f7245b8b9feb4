// Prices of OpenAI's web searches that differ from the price of its current tool: searches with the tool's earlier
// version, and searches of models that search with each request, such as `gpt-4o-search-preview`. Such a search is a
// part of the price of a request, whatever the format of the request and the name under which it asks for the model.
// Pure.

import type { Nanos } from '../../kernel/money.ts';
import type { DatedPrice, DatedPrices } from './price-list.ts';

export function searchesAlways(model: string): boolean {
  return SEARCHES.test(model);
}

/** Case-insensitive, as names are compared with the price list. */
const SEARCHES = /-search-/i;

/** The prices with one search per request; undefined if a search has no price. */
export function withSearches([first, ...rest]: DatedPrices): DatedPrices | undefined {
  const start = withSearch(first);
  const later = rest.map(withSearch).filter((dated) => dated !== undefined);
  return start && later.length === rest.length ? [start, ...later] : undefined;
}

/** The request also states its search as a tool, or the answer reports it: the tool is then charged already. */
function withSearch({ time, list }: DatedPrice): DatedPrice | undefined {
  const { requestNanos, toolNanos } = list;
  const search = toolNanos[PREVIEW_SEARCH];
  if (search === undefined) return undefined;
  return {
    time,
    list: {
      ...list,
      requestNanos: requestNanos + search,
      toolNanos: { ...toolNanos, web_search: 0, [PREVIEW_SEARCH]: 0 },
    },
  };
}

/** The earlier version of OpenAI's web search, which is also used by models that search with each request. */
export const PREVIEW_SEARCH = 'web_search_preview';

/**
 * The price of the earlier version, which the maintained list does not state: for models without reasoning 25 dollars per
 * thousand, which include the tokens of the results, for others the price of the present version.
 */
export function previewSearchNanos(model: string, searchNanos: Nanos): Nanos {
  return WITHOUT_REASONING.test(model) ? Math.max(searchNanos, 25_000_000) : searchNanos;
}

const WITHOUT_REASONING = /(?:^|[/.:])(?:chat)?gpt-[34]/i;
