// What the truth log keeps of one request. It never holds a credential, a prompt or an answer.
//
// Outcomes: `pending` until the answer is over, then one of
//   ok                 answered completely
//   refused            answered with an HTTP error
//   failed_in_stream   a 200 that ended in an error event
//   garbled            a 200 whose bytes are not what they should be
//   cut                the simulator broke the connection or ended the stream too early
//   hung               the simulator fell silent on purpose; set when the silence begins
//   aborted_by_client  the caller went away before the answer was over
//   closed             the simulator itself was closed meanwhile

import type { Dialect, Operation } from '../ask.ts';

export const OUTCOMES = [
  'pending',
  'ok',
  'refused',
  'failed_in_stream',
  'garbled',
  'cut',
  'hung',
  'aborted_by_client',
  'closed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type TruthEntry = {
  /** Counts up from 1 over the life of the simulator, in the order of arrival. */
  readonly sequence: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** When the caller went away, if it did. */
  readonly abortedAt: number | null;
  readonly provider: string;
  readonly dialect: Dialect;
  readonly operation: Operation | 'unknown';
  readonly method: string;
  /** Without its query, which may hold a key. */
  readonly path: string;
  readonly model: string | null;
  readonly stream: boolean;
  readonly credentialHash: string | null;
  /** The status that was sent; null while none was. */
  readonly status: number | null;
  readonly outcome: Outcome;
  /** Events with content that were handed to the connection. */
  readonly chunksSent: number;
  /** What the provider would bill: nothing for a refusal, what was sent for a broken answer. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly headerNames: readonly string[];
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly bodyBytes: number;
  readonly bodyDigest: string | null;
  readonly scenario: string;
};

export type OpenEntry = { -readonly [Field in keyof TruthEntry]: TruthEntry[Field] };
