// The port to a receiver of messages about alerts. Delivery is at least once: a receiver drops duplicates by `id`.

import type { Alert } from './alert.ts';
import type { NoticePhase } from './alert-board.ts';

export type AlertMessage = {
  /** The same for every delivery of the message. */
  readonly id: string;
  readonly phase: NoticePhase;
  readonly text: string;
  readonly alert: Alert;
};

export type AlertSink = {
  /** Resolves when the receiver has accepted the message. */
  send(message: AlertMessage, signal: AbortSignal): Promise<void>;
};
