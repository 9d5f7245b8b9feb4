// The deciding model's decisions of the last day, used while the model cannot be reached. A request finds the decision
// on a request with the same or nearly the same words. Each organisation has its own entries, so that no organisation
// can influence the decisions of another. The cache is in this process and bounded: 200 entries per organisation,
// 10,000 in all; the least recently stored entries are evicted first. After a restart it is empty, and the rules
// decide.

import type { Clock } from '../../kernel/clock.ts';
import { type Decision, isSameDecision } from '../decision.ts';
import type { ApplyRules } from '../rules/apply-rules.ts';
import { wordsOf } from '../rules/words.ts';

const MAX_AGE_MS = 24 * 3_600_000;
const MAX_PER_ORGANIZATION = 200;
const MAX_ENTRIES = 10_000;
const MAX_COMPARED_WORDS = 64;
/** The share of words that two requests must have in common. */
const MIN_SIMILARITY = 0.8;

type Entry = {
  readonly words: ReadonlySet<string>;
  readonly decision: Decision;
  /**
   * The decision by the rules: a request with nearly the same words but another decision by the rules is a different
   * request.
   */
  readonly byRules: Decision | undefined;
  readonly storedAt: number;
};

export class DecisionCache {
  readonly #clock: Clock;
  readonly #applyRules: ApplyRules;
  /** Entries of each organisation by their normalised text, oldest first. */
  readonly #organizations = new Map<string, Map<string, Entry>>();
  #size = 0;

  constructor(clock: Clock, applyRules: ApplyRules) {
    this.#clock = clock;
    this.#applyRules = applyRules;
  }

  get size(): number {
    return this.#size;
  }

  store(organizationId: string, message: string, decision: Decision): void {
    const entries = this.#organizations.get(organizationId) ?? new Map<string, Entry>();
    const key = normalize(message);
    this.#remove(entries, key);
    // The organisation that stored most recently loses entries last.
    this.#organizations.delete(organizationId);
    this.#organizations.set(organizationId, entries);
    entries.set(key, {
      words: comparedWords(message),
      decision,
      byRules: this.#applyRules(message),
      storedAt: this.#clock.now(),
    });
    this.#size += 1;
    if (entries.size > MAX_PER_ORGANIZATION) this.#removeOldest(entries);
    if (this.#size > MAX_ENTRIES) this.#shrink();
  }

  /** The decision on the same request, else on the most similar one. */
  find(organizationId: string, message: string): Decision | undefined {
    const entries = this.#organizations.get(organizationId);
    if (!entries) return undefined;
    const since = this.#clock.now() - MAX_AGE_MS;
    const same = entries.get(normalize(message));
    if (same && same.storedAt >= since) return same.decision;
    return this.#nearest(entries, message, since);
  }

  #nearest(
    entries: ReadonlyMap<string, Entry>,
    message: string,
    since: number,
  ): Decision | undefined {
    const words = comparedWords(message);
    const byRules = this.#applyRules(message);
    let best: { readonly decision: Decision; readonly similarity: number } | undefined;
    for (const entry of entries.values()) {
      if (entry.storedAt < since || !isSameOutcome(entry.byRules, byRules)) continue;
      const similarity = similarityOf(words, entry.words);
      if (similarity >= MIN_SIMILARITY && similarity > (best?.similarity ?? 0))
        best = { decision: entry.decision, similarity };
    }
    return best?.decision;
  }

  #shrink(): void {
    for (const [organizationId, entries] of this.#organizations) {
      this.#removeOldest(entries);
      if (entries.size === 0) this.#organizations.delete(organizationId);
      return;
    }
  }

  #removeOldest(entries: Map<string, Entry>): void {
    for (const key of entries.keys()) return this.#remove(entries, key);
  }

  #remove(entries: Map<string, Entry>, key: string): void {
    if (entries.delete(key)) this.#size -= 1;
  }
}

/** Without case, accents, punctuation and spacing. */
export function normalize(message: string): string {
  return wordsOf(message)
    .map(({ text }) => text)
    .join(' ');
}

function comparedWords(message: string): ReadonlySet<string> {
  return new Set(
    wordsOf(message)
      .slice(0, MAX_COMPARED_WORDS)
      .map(({ text }) => text),
  );
}

/** Jaccard similarity: words in common ÷ all words of both. */
function similarityOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  return common / Math.max(1, one.size + other.size - common);
}

function isSameOutcome(one: Decision | undefined, other: Decision | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && isSameDecision(one, other));
}
