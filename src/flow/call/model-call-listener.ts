// The receiver of a model call's outcome: the exchange with a caller, or the run of a job.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';

export type ModelCallListener = {
  /** A unary call succeeded. */
  onAnswer(body: Buffer, contentType: string, record: UsageRecord): void;
  /** Whole events of a stream, from its first content on; return false to pause the provider. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  onComplete(lastBytes: Buffer, contentType: string, record: UsageRecord): void;
  /** `record` is that of the last attempt; undefined when none was sent. */
  onFailed(error: SpillwayError, record: UsageRecord | undefined): void;
  /** A clock ended the call. `onFailed` with the same error follows when the usage is known, up to seconds later. */
  onExpired?(error: SpillwayError): void;
};
