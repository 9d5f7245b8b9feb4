// Simulates the providers' prompt caches. Anthropic caches the prefix that the request marks; the others
// cache automatically from 1,024 tokens on, in steps of 128, here only for byte-identical requests. Bounded:
// the oldest prefix is evicted first.

import type { CacheUse } from '../answers.ts';
import type { ModelRequest } from '../model-request.ts';

const MAX_PREFIXES = 10_000;
const MIN_TOKENS = 1_024;
const STEP_TOKENS = 128;
const NOTHING: CacheUse = Object.freeze({ readTokens: 0, writeTokens: 0 });

export class PromptCache {
  readonly #seen = new Set<string>();

  /** `owner` is the provider and key; each owner has its own cache. */
  use(owner: string, request: ModelRequest | undefined, bodyDigest: string): CacheUse {
    if (!request) return NOTHING;
    if (request.markedTokens > 0) {
      const isHit = this.#touch(`${owner} ${request.model} ${request.markedPrefix}`);
      return isHit
        ? { readTokens: request.markedTokens, writeTokens: 0 }
        : { readTokens: 0, writeTokens: request.markedTokens };
    }
    if (
      request.cachesByItself &&
      request.inputTokens >= MIN_TOKENS &&
      this.#touch(`${owner} ${bodyDigest}`)
    )
      return {
        readTokens: request.inputTokens - (request.inputTokens % STEP_TOKENS),
        writeTokens: 0,
      };
    return NOTHING;
  }

  /** Whether the prefix was cached; caches it. */
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
