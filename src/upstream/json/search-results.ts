// Distinguishes the URLs of Anthropic's search results and citations, which a conversation repeats by the hundred and which are text
// to the model, from those that the provider fetches: `{"type":"url","url":…}`. Both have the name `url`; the `type` of their object
// decides, and SDKs write it first. Providers take the last of equal names, so that a later type of the same object counts. Pure.

import { FREE, meaningOf } from './reference-names.ts';
import { JsonKeys } from './walk-keys.ts';

const RESULTS: readonly string[] = [
  'web_search_result',
  'web_search_result_location',
  'web_fetch_result',
];

/** The URLs of a request that are not those of results. Only requests with URLs are walked for it. */
export function countFetchedUrls(body: Buffer): number {
  const keys = new JsonKeys();
  let urls = 0;
  /** The depth of the fields of the latest result, and whether it had a URL. */
  let depth = -1;
  let hasUrl = false;
  keys.start(body, 0, body.length);
  while (keys.next()) {
    const meaning = meaningOf('anthropic', keys);
    if (meaning === FREE) {
      if (keys.takeValue() === undefined) break;
    } else if (meaning === 'url') {
      if (keys.depth === depth) hasUrl = true;
      else urls += 1;
    } else if (meaning === undefined && keys.isNamed('type')) {
      const isResult = RESULTS.some((type) => keys.isTextValue(type));
      // The URL before it may be that of this type.
      if (!isResult && hasUrl && keys.depth === depth) urls += 1;
      if (isResult || keys.depth === depth) {
        depth = isResult ? keys.depth : -1;
        hasUrl = false;
      }
    }
  }
  return urls;
}
