// The inputs of an attempt: the target, the request to send, the listener, and the dependencies that all attempts share.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { Watch } from '../../kernel/watch.ts';
import type { Upstream, UpstreamHeaders } from '../upstream.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { AttemptTimeouts } from './attempt-clocks.ts';

export type AttemptTarget = {
  readonly provider: string;
  readonly account: string;
  readonly region: string;
  readonly model: string;
  readonly format: ProviderFormat;
  readonly origin: string;
};

export type AttemptCall = {
  readonly target: AttemptTarget;
  readonly isStream: boolean;
  /** Reasoning models take longer to their first content and have longer clocks. */
  readonly isReasoning: boolean;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer;
  /** The provider counts the call against limits of its own, so that its headers say nothing of the model's. */
  readonly isCountedApart: boolean;
  /** The gateway asked for the usage of a stream, and the caller did not: its event is not relayed. */
  readonly removesUsageEvent?: boolean;
  /** The end of the call on `clock.monotonic()`; a stream has one only by its caller's deadline. */
  readonly deadlineAtMs?: number | undefined;
};

export type AttemptListener = {
  /** A unary call succeeded; `usage` is undefined when the response reports none. */
  onAnswer(body: Buffer, contentType: string, usage: MeteredUsage | undefined): void;
  /** Whole events of a stream, from its first content on; return false to pause the provider. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  /** A stream ended cleanly; `lastBytes` are its last events. */
  onComplete(lastBytes: Buffer, contentType: string): void;
  onFailed(error: SpillwayError): void;
  /** Called when the call has lasted a second and every 20 seconds after that. */
  onRunning?(): void;
};

export type AttemptParts = {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly watch: Watch;
  readonly timeouts: AttemptTimeouts;
  readonly maxAnswerBytes: number;
  /** The large answers of all calls together; absent: unbounded. */
  readonly answerBytes?: AnswerBytes;
  /** Called with the headers of every successful response: they report the headroom of the provider's limits. */
  readonly onHealthy?: (target: AttemptTarget, headers: UpstreamHeaders) => void;
  readonly maxHeldBytes: number;
};
