// An alert: one rule that fires for one subject, from its start to its end. The board stores it; operators and sinks see it.

import type { AlertName } from '../kernel/notify/alert-name.ts';

export const ALERT_SEVERITIES = ['warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export type Alert = {
  readonly id: string;
  readonly name: AlertName;
  readonly metric: string;
  /** The circuit, queue, account or budget; undefined for an alert about the whole cluster. */
  readonly subject: string | undefined;
  readonly severity: AlertSeverity;
  /** In plain words, with a remedy. */
  readonly message: string;
  /** The value that started it. */
  readonly value: number;
  readonly threshold: number;
  readonly startedAt: number;
  /** Undefined while it fires. */
  readonly endedAt: number | undefined;
  /** The server that reported its start. */
  readonly serverId: string;
  /** The budget of a budget alert. */
  readonly budget: BudgetOfAlert | undefined;
};

export type BudgetOfAlert = {
  readonly organizationId: string;
  readonly month: number;
  readonly kind: string;
  /** The key or the user; '' for the organisation as a whole. */
  readonly scopeId: string;
  readonly percent: number;
};

/** Firing alerts are unique by this key. */
export function alertKey({ name, subject }: Pick<Alert, 'name' | 'subject'>): string {
  return `${name}\n${subject ?? ''}`;
}
