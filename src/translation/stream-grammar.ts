// Holds the events of a provider's stream to the grammar that writers rely on:
//
//   start (part_start delta* part_end)* end
//
// A stream that breaks it, ends without `end`, or grows beyond all bounds throws, so that it fails instead of reaching the
// caller broken. Events after the end are ignored, as the vendors' SDKs do.

import { TranslationProblem } from './dialect.ts';
import type { NeutralEvent } from './neutral-answer.ts';

/**
 * Bounds the text that readers and writers buffer until the end of a stream. No vendor's model produces a quarter of
 * it.
 */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;
const MAX_PARTS = 10_000;

type State = 'before' | 'between' | 'in_part' | 'after';

/** The state after an event, by the state before it. */
const NEXT: Readonly<Record<State, Partial<Record<NeutralEvent['kind'], State>>>> = {
  before: { start: 'between' },
  between: { part_start: 'in_part', end: 'after' },
  in_part: { delta: 'in_part', part_end: 'between' },
  after: {},
};

export class StreamGrammar {
  #state: State = 'before';
  #length = 0;
  #parts = 0;

  /** True if the event belongs to the answer, false if it follows the end. */
  accept(event: NeutralEvent): boolean {
    if (this.#state === 'after') return false;
    const next = NEXT[this.#state][event.kind];
    if (!next) throw new TranslationProblem('stream', `has ${event.kind} ${this.#state}`);
    this.#state = next;
    this.#count(event);
    return true;
  }

  /** The provider's stream is over. */
  end(): void {
    if (this.#state !== 'after') throw new TranslationProblem('stream', 'ends before its answer');
  }

  #count(event: NeutralEvent): void {
    if (event.kind === 'part_start') this.#parts += 1;
    if (event.kind === 'delta') this.#length += event.text.length;
    if (this.#length > MAX_TEXT_LENGTH || this.#parts > MAX_PARTS)
      throw new TranslationProblem('stream', 'is too long');
  }
}
