// The port to the dead letters: what could not be worked off and waits for an operator. The store is their
// record; a queue of the broker only gets copies.

import type { ErrorCode } from '../../errors/codes.ts';
import type { Announcement } from './job-queue.ts';

export type DeadLetter = {
  readonly id: string;
  /** Absent when the message could not even be made a job. */
  readonly jobId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly queue: string;
  /** The message as it came, or the job's own fields as JSON. */
  readonly body: string;
  readonly errorCode: ErrorCode;
  /** For operators. */
  readonly errorMessage: string;
  readonly attempts: number;
  readonly createdAt: number;
};

export type DeadLetterStore = {
  /** Adding an id twice keeps the first: a message may be delivered again before it is acknowledged. */
  add(letter: DeadLetter, announce?: readonly Announcement[]): Promise<void>;
  find(id: string): Promise<DeadLetter | undefined>;
  /** Those that were not retried, oldest first, beginning after `after`. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly DeadLetter[]>;
  count(): Promise<number>;
  /** Takes it off the list, because it is tried again or was given up; false when it was not on it. */
  remove(id: string): Promise<boolean>;
};
