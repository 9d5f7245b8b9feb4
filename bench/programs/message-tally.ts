// The outcome of a set of messages, from their results: succeeded, failed, repeated, missing. Pure; a result with an
// unknown id belongs to an earlier run and is ignored.

import { z } from 'zod';

export const MessageReport = z.object({
  succeeded: z.number(),
  failed: z.number(),
  /** Messages without a result. */
  lost: z.number(),
  /** Results of messages that already had one. */
  repeated: z.number(),
  deadLetters: z.number(),
});

export type MessageReport = z.infer<typeof MessageReport>;

export class MessageTally {
  readonly #endings = new Map<string, string | undefined>();
  #answered = 0;
  #repeated = 0;
  #deadLetters = 0;

  expect(id: string): void {
    this.#endings.set(id, undefined);
  }

  noteResult(id: string, status: string): void {
    if (!this.#endings.has(id)) return;
    if (this.#endings.get(id) !== undefined) {
      this.#repeated += 1;
      return;
    }
    this.#endings.set(id, status);
    this.#answered += 1;
  }

  noteDeadLetter(id: string): void {
    if (this.#endings.has(id)) this.#deadLetters += 1;
  }

  /** Whether at least `count` messages have a result. */
  hasAnswersFor(count: number): boolean {
    return this.#answered >= count;
  }

  report(): MessageReport {
    const endings = [...this.#endings.values()];
    const succeeded = endings.filter((status) => status === 'succeeded').length;
    return {
      succeeded,
      failed: this.#answered - succeeded,
      lost: endings.length - this.#answered,
      repeated: this.#repeated,
      deadLetters: this.#deadLetters,
    };
  }
}
