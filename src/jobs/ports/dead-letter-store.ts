// The port to the dead letters: jobs and messages that are not tried again without an operator. The store holds them;
// the broker's dead-letter queue gets copies.

import type { ErrorCode } from '../../errors/codes.ts';
import type { OutboxMessage } from './job-queue.ts';

export type DeadLetter = {
  readonly id: string;
  /** Absent if the message never became a job. */
  readonly jobId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly queue: string;
  /** The message as delivered, or the job's fields as JSON. */
  readonly body: string;
  readonly errorCode: ErrorCode;
  /** For operators. */
  readonly errorMessage: string;
  readonly attempts: number;
  readonly createdAt: number;
};

export type DeadLetterPage = {
  readonly after?: string | undefined;
  readonly limit: number;
  /** Selects dead letters that contain this text in a field other than the body, case-insensitively. */
  readonly text?: string | undefined;
  /** The page ends with the first dead letter by which its bodies have so many bytes; it has at least one. */
  readonly maxBytes?: number;
  /** The bodies are not read: they are empty, and do not count. */
  readonly isSummary?: boolean;
};

export type DeadLetterList = {
  readonly letters: readonly DeadLetter[];
  readonly next: string | undefined;
};

export type DeadLetterStore = {
  /** An id that exists is kept as it is: a message may be delivered again before it is acknowledged. */
  add(letter: DeadLetter, outbox?: readonly OutboxMessage[]): Promise<void>;
  find(id: string): Promise<DeadLetter | undefined>;
  /**
   * Dead letters in the order of their ids. A page with a text examines a bounded number of dead letters: it may have fewer
   * than `limit` although `next`, the `after` of the next page, is defined.
   */
  list(page: DeadLetterPage): Promise<DeadLetterList>;
  count(): Promise<number>;
  /** Deletes it when it is retried or discarded; false if it does not exist. */
  remove(id: string): Promise<boolean>;
};
