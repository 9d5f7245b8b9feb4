// Whether the beginning of a prompt was seen before, as the providers' prompt caches tell it. Anthropic caches
// what the request marks; the others cache by themselves from 1,024 tokens on, in steps of 128, and here
// only a request that is the same byte for byte. Bounded: the oldest prefix is forgotten first.

import type { CacheUse } from '../answers.ts';
import type { Ask } from '../ask.ts';

const MAX_PREFIXES = 10_000;
const MIN_TOKENS = 1_024;
const STEP_TOKENS = 128;
const NOTHING: CacheUse = Object.freeze({ readTokens: 0, writeTokens: 0 });

export class PromptCache {
  readonly #seen = new Set<string>();

  /** `owner` is the provider and key: nobody reads another's cache. */
  use(owner: string, ask: Ask | undefined, bodyDigest: string): CacheUse {
    if (!ask) return NOTHING;
    if (ask.markedTokens > 0) {
      const isHit = this.#touch(`${owner} ${ask.model} ${ask.markedPrefix}`);
      return isHit
        ? { readTokens: ask.markedTokens, writeTokens: 0 }
        : { readTokens: 0, writeTokens: ask.markedTokens };
    }
    if (
      ask.cachesByItself &&
      ask.inputTokens >= MIN_TOKENS &&
      this.#touch(`${owner} ${bodyDigest}`)
    )
      return { readTokens: ask.inputTokens - (ask.inputTokens % STEP_TOKENS), writeTokens: 0 };
    return NOTHING;
  }

  /** Whether it was known; it is from now on. */
  #touch(prefix: string): boolean {
    if (this.#seen.has(prefix)) return true;
    for (const oldest of this.#seen) {
      if (this.#seen.size < MAX_PREFIXES) break;
      this.#seen.delete(oldest);
    }
    this.#seen.add(prefix);
    return false;
  }
}
