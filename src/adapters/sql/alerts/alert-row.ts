// The columns of an alert. Rows with an unknown name or severity, which a later version wrote, are skipped.

import type { Insertable, Selectable } from 'kysely';
import type { Alert, AlertSeverity, BudgetOfAlert } from '../../../alerts/alert.ts';
import {
  ALERT_NAMES,
  ALERT_SINK_NAMES,
  type AlertName,
  type AlertSinkName,
} from '../../../kernel/notify/alert-name.ts';
import { toNumber, toOptionalNumber } from '../sql-dialect.ts';
import type { AlertsTable } from './alerts-table.ts';

export function toAlertRow(alert: Alert): Insertable<AlertsTable> {
  return {
    id: alert.id,
    name: alert.name,
    metric: alert.metric,
    subject: alert.subject ?? '',
    severity: alert.severity,
    message: alert.message,
    value: alert.value,
    threshold: alert.threshold,
    started_at: alert.startedAt,
    ended_at: alert.endedAt ?? null,
    server_id: alert.serverId,
    budget: alert.budget === undefined ? null : JSON.stringify(alert.budget),
  };
}

/** None or one. */
export function toAlert(row: Selectable<AlertsTable>): readonly Alert[] {
  const { id, name, metric, severity, message } = row;
  if (!isAlertName(name) || !isSeverity(severity)) return [];
  return [
    {
      id,
      name,
      metric,
      subject: row.subject === '' ? undefined : row.subject,
      severity,
      message,
      value: row.value,
      threshold: row.threshold,
      startedAt: toNumber(row.started_at),
      endedAt: toOptionalNumber(row.ended_at),
      serverId: row.server_id,
      budget: row.budget === null ? undefined : (JSON.parse(row.budget) as BudgetOfAlert),
    },
  ];
}

export function isSinkName(name: string): name is AlertSinkName {
  return ALERT_SINK_NAMES.some((each) => each === name);
}

function isAlertName(name: string): name is AlertName {
  return ALERT_NAMES.some((each) => each === name);
}

function isSeverity(severity: string): severity is AlertSeverity {
  return severity === 'warning' || severity === 'critical';
}
