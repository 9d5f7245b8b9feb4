// The truth log entry of one request. It never holds a credential, a prompt or an answer.
//
// Outcomes: `pending` until the answer ends, then:
//   ok                 answered completely
//   refused            answered with an HTTP error
//   failed_in_stream   a 200 that ended with an error event
//   garbled            a 200 with corrupted bytes
//   cut                the simulator broke the connection or ended the stream early
//   hung               the simulator stopped sending on purpose; set when the silence begins
//   aborted_by_client  the caller disconnected before the end of the answer
//   closed             the simulator was closed before the end of the answer

import type { Dialect, Operation } from '../model-request.ts';

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
  /** Counts from 1 over the life of the simulator, in order of arrival. */
  readonly sequence: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** When the caller disconnected, if it did. */
  readonly abortedAt: number | null;
  readonly provider: string;
  readonly dialect: Dialect;
  readonly operation: Operation | 'unknown';
  readonly method: string;
  /** Without the query, which may hold a key. */
  readonly path: string;
  readonly model: string | null;
  readonly stream: boolean;
  readonly credentialHash: string | null;
  /** The status sent; null until then. */
  readonly status: number | null;
  readonly outcome: Outcome;
  /** Content events written to the connection. */
  readonly chunksSent: number;
  /** Billable tokens: none for a refusal, the sent part for a broken answer. */
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
