// The port to the alerts that fire and have fired, shared by all servers. It also stores the notices that are not
// delivered yet: a notice is written in the transaction that starts or ends its alert, so that neither a crash of the
// leader nor a restart loses or repeats a message. While the store is unavailable every method rejects.

import type { AlertSinkName } from '../kernel/notify/alert-name.ts';
import type { Alert } from './alert.ts';

export type NoticePhase = 'started' | 'ended';

/** A message about an alert for one sink. */
export type Notice = {
  readonly phase: NoticePhase;
  readonly sink: AlertSinkName;
  readonly text: string;
};

export type QueuedNotice = Notice & {
  readonly id: string;
  /** Failed deliveries. */
  readonly failures: number;
  readonly alert: Alert;
};

export type AlertPage = {
  readonly state?: 'firing' | 'ended' | undefined;
  readonly limit: number;
  /** The last alert of the previous page; newest first. */
  readonly before?: Pick<Alert, 'startedAt' | 'id'> | undefined;
};

export type AlertBoard = {
  /** Writes nothing and resolves to false if the id exists or an alert of this name and subject is firing. */
  start(alert: Alert, notices: readonly Notice[]): Promise<boolean>;
  /** Writes nothing and resolves to false if the alert has ended already. */
  end(id: string, endedAt: number, notices: readonly Notice[]): Promise<boolean>;
  firing(): Promise<readonly Alert[]>;
  list(page: AlertPage): Promise<readonly Alert[]>;
  /** Undelivered notices that are due, oldest first. No other server gets them until `claimedUntil`. */
  claimNotices(now: number, claimedUntil: number, limit: number): Promise<readonly QueuedNotice[]>;
  /** Removes a delivered or abandoned notice, or sets the time of its next delivery. */
  settleNotice(
    id: string,
    outcome: 'done' | { readonly retryAt: number; readonly isFailure: boolean },
  ): Promise<void>;
  /** Deletes alerts that ended before. */
  prune(before: number): Promise<void>;
};
