// Models that search the web with each request, such as `gpt-4o-search-preview`. The search is a part of the price of a
// request, whatever the format of the request and the name under which it asks for the model. Pure.

import type { DatedPrice, DatedPrices } from './price-list.ts';

export function searchesAlways(model: string): boolean {
  return SEARCHES.test(model);
}

/** In any case of its letters, as names are compared with the price list. */
const SEARCHES = /-search-/i;

/** The prices with one search per request; undefined if a search has no price. */
export function withSearches([first, ...rest]: DatedPrices): DatedPrices | undefined {
  const start = withSearch(first);
  const later = rest.map(withSearch).filter((dated) => dated !== undefined);
  return start && later.length === rest.length ? [start, ...later] : undefined;
}

/** The request states its search as a tool, too, or the answer reports it: the tool is then paid already. */
function withSearch({ time, list }: DatedPrice): DatedPrice | undefined {
  const { requestNanos, toolNanos } = list;
  const search = toolNanos['web_search'];
  if (search === undefined) return undefined;
  return {
    time,
    list: {
      ...list,
      requestNanos: requestNanos + search,
      toolNanos: { ...toolNanos, web_search: 0 },
    },
  };
}
