// What became of a number of messages, from what their results say: which have ended well, which have not, which were told
// twice and which were never heard of. It knows no broker and no clock; results that belong to no message of its own are
// of an earlier run and are passed over.

import { z } from 'zod';

export const MessageReport = z.object({
  succeeded: z.number(),
  failed: z.number(),
  /** Nothing was ever heard of them. */
  lost: z.number(),
  /** Results beyond the first of a message. */
  repeated: z.number(),
  deadLetters: z.number(),
});

export type MessageReport = z.infer<typeof MessageReport>;

export class MessageTally {
  readonly #endings = new Map<string, string | undefined>();
  #heardOf = 0;
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
    this.#heardOf += 1;
  }

  noteDeadLetter(id: string): void {
    if (this.#endings.has(id)) this.#deadLetters += 1;
  }

  /** Whether so many of its messages have a result. */
  hasHeardOf(count: number): boolean {
    return this.#heardOf >= count;
  }

  report(): MessageReport {
    const endings = [...this.#endings.values()];
    const succeeded = endings.filter((status) => status === 'succeeded').length;
    return {
      succeeded,
      failed: this.#heardOf - succeeded,
      lost: endings.length - this.#heardOf,
      repeated: this.#repeated,
      deadLetters: this.#deadLetters,
    };
  }
}
