// Distinguishes the URLs of Anthropic's search results and citations, which a conversation repeats by the hundred and which are text
// to the model, from those that the provider fetches: `{"type":"url","url":…}`. Both have the name `url`; the `type` of their object
// decides, and SDKs write it first. Providers take the last of equal names, so that a later type of the same object counts.

import type { JsonKeys } from './walk-keys.ts';

const RESULTS: readonly string[] = [
  'web_search_result',
  'web_search_result_location',
  'web_fetch_result',
];

export class SearchResults {
  #depth = -1;
  #hasUrl = false;

  /** The walker is at a `type`. True if the URL before it, which was taken for that of a result, may belong to this type. */
  noteType(keys: JsonKeys): boolean {
    const isOther = keys.depth === this.#depth && this.#hasUrl;
    if (RESULTS.some((type) => keys.isTextValue(type))) {
      this.#depth = keys.depth;
      this.#hasUrl = false;
      return false;
    }
    if (keys.depth === this.#depth) this.#depth = -1;
    return isOther;
  }

  /** The walker is at a `url`: whether it is that of a result. */
  isResult(keys: JsonKeys): boolean {
    if (keys.depth !== this.#depth) return false;
    this.#hasUrl = true;
    return true;
  }
}
