// The tables of alerts as Kysely sees them; schema.ts states the conventions.

import type { ColumnType } from 'kysely';

type Int = ColumnType<number | string | bigint, number, number>;
type NullableInt = ColumnType<
  number | string | bigint | null,
  number | null | undefined,
  number | null
>;

export type AlertsTable = {
  id: string;
  name: string;
  metric: string;
  /** '' for an alert about the whole cluster. */
  subject: string;
  severity: string;
  message: string;
  value: number;
  threshold: number;
  started_at: Int;
  /** Null while it fires. */
  ended_at: NullableInt;
  server_id: string;
  /** JSON: the budget of a budget alert. */
  budget: string | null;
};

export type AlertNoticesTable = {
  id: string;
  alert_id: string;
  phase: string;
  sink: string;
  text: string;
  failures: Int;
  created_at: Int;
  due_at: Int;
};

/** Crossed thresholds of budgets, each once. */
export type BudgetAlertsTable = {
  organization_id: string;
  month: Int;
  kind: string;
  scope_id: string;
  percent: Int;
  created_at: Int;
};
