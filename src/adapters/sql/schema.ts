// The tables as Kysely sees them, the same on SQLite and on PostgreSQL. Three conventions keep the two
// alike: times are epoch milliseconds and money is nano-dollars, both bigint; booleans are 0 or 1; JSON is text.
// A driver may return a bigint as text, so an `Int` read from a row must pass through `toNumber`.

import type { ColumnType } from 'kysely';
import type { AlertNoticesTable, AlertsTable, BudgetAlertsTable } from './alerts/alerts-table.ts';
import type { BuildEventsTable } from './build-events-table.ts';
import type { UsageHoursTable } from './metering/usage-hours-table.ts';
import type { SeriesErrorsTable, SeriesSamplesTable } from './series/series-table.ts';

export type Int = ColumnType<number | string | bigint, number, number>;
export type NullableInt = ColumnType<
  number | string | bigint | null,
  number | null | undefined,
  number | null
>;

export type Schema = {
  meta: MetaTable;
  organizations: OrganizationsTable;
  api_keys: ApiKeysTable;
  usage_records: UsageRecordsTable;
  usage_rollups: UsageRollupsTable;
  jobs: JobsTable;
  job_payloads: { job_id: string; message: string };
  job_results: { job_id: string; result: string };
  job_events: JobEventsTable;
  job_attempts: JobAttemptsTable;
  queue_messages: QueueMessagesTable;
  tenant_queues: { queue: string; tenant: string; last_tag: Int };
  queue_heads: { queue: string; head_tag: Int };
  dead_letters: DeadLettersTable;
  audit_log: AuditLogTable;
  budget_periods: BudgetPeriodsTable;
  budget_reservations: BudgetReservationsTable;
  budget_allotments: BudgetAllotmentsTable;
  budget_alerts: BudgetAlertsTable;
  alerts: AlertsTable;
  alert_notices: AlertNoticesTable;
  project_build_events: BuildEventsTable;
  idempotency_keys: IdempotencyKeysTable;
  stale_answers: StaleAnswersTable;
  series_samples: SeriesSamplesTable;
  series_errors: SeriesErrorsTable;
  usage_hours: UsageHoursTable;
};

export type MetaTable = { name: string; value: string; created_at: Int };

export type OrganizationsTable = {
  id: string;
  name: string;
  monthly_budget_nanos: Int;
  user_monthly_budget_nanos: NullableInt;
  requests_per_minute: Int;
  tokens_per_minute: NullableInt;
  tokens_per_day: NullableInt;
  max_concurrent: NullableInt;
  locale: string | null;
  time_zone: string;
  messages: string;
  allow_stale: Int;
  allow_prompt_preview: Int;
  webhook_secret: string | null;
  created_at: Int;
  updated_at: Int;
  /** Set on a tombstone. */
  deleted_at: NullableInt;
};

export type ApiKeysTable = {
  id: string;
  organization_id: string;
  name: string;
  hash: string;
  prefix: string;
  scopes: string;
  diagnostics: Int;
  monthly_budget_nanos: NullableInt;
  requests_per_minute: NullableInt;
  models: string | null;
  expires_at: NullableInt;
  revoked_at: NullableInt;
  created_at: Int;
};

export type UsageRecordsTable = {
  id: string;
  request_id: string;
  attempt: Int;
  organization_id: string;
  key_id: string;
  user_id: string | null;
  provider: string;
  model: string;
  input_tokens: Int;
  output_tokens: Int;
  cache_read_tokens: Int;
  cache_write_tokens: Int;
  cache_write_1h_tokens: Int;
  reasoning_tokens: Int;
  cost_nanos: Int;
  category: string | null;
  latency_ms: Int;
  status: string;
  streamed: Int;
  estimated: Int;
  created_at: Int;
  /** The month, as YYYYMM, of the budget that the cost counts against. */
  budget_month: NullableInt;
  first_content_ms: NullableInt;
};

/** One row per hour and combination; '' stands for absent, because NULLs are never equal in a key. */
export type UsageRollupsTable = {
  organization_id: string;
  hour_start: Int;
  key_id: string;
  user_id: string;
  provider: string;
  model: string;
  category: string;
  attempts: Int;
  failures: Int;
  input_tokens: Int;
  output_tokens: Int;
  cache_read_tokens: Int;
  cache_write_tokens: Int;
  cost_nanos: Int;
};

export type JobsTable = {
  id: string;
  organization_id: string;
  public_id: string;
  origin: string;
  state: string;
  fence: Int;
  run: Int;
  attempts: Int;
  losses: Int;
  event_count: Int;
  priority: Int;
  queue: string;
  provider: string | null;
  model: string | null;
  key_id: string | null;
  user_id: string | null;
  request_id: string | null;
  locale: string | null;
  time_zone: string | null;
  trace_parent: string | null;
  callback_url: string | null;
  metadata: string | null;
  wait_code: string | null;
  error: string | null;
  run_at: Int;
  published_at: Int;
  deadline_at: NullableInt;
  lease_owner: string | null;
  lease_until: NullableInt;
  created_at: Int;
  updated_at: Int;
  started_at: NullableInt;
  finished_at: NullableInt;
};

export type JobEventsTable = {
  job_id: string;
  sequence: Int;
  type: string;
  data: string | null;
  created_at: Int;
};

export type JobAttemptsTable = {
  job_id: string;
  run: Int;
  attempt: Int;
  provider: string | null;
  model: string | null;
  worker_id: string | null;
  outcome: string | null;
  error_code: string | null;
  cost_nanos: NullableInt;
  partial_output: string | null;
  started_at: Int;
  finished_at: NullableInt;
};

export type QueueMessagesTable = {
  queue: string;
  id: string;
  body: string;
  tenant: string;
  priority: Int;
  tag: Int;
  status: string;
  visible_at: Int;
  lease_owner: string | null;
  lease_until: NullableInt;
  deliveries: Int;
  published_at: Int;
};

export type DeadLettersTable = {
  id: string;
  job_id: string | null;
  organization_id: string | null;
  queue: string;
  body: string;
  error_code: string;
  error_message: string;
  attempts: Int;
  created_at: Int;
};

export type AuditLogTable = {
  id: string;
  actor: string;
  action: string;
  target: string;
  organization_id: string | null;
  request_id: string | null;
  data: string | null;
  created_at: Int;
};

export type IdempotencyKeysTable = {
  organization_id: string;
  key: string;
  fingerprint: string;
  request_id: string;
  state: string;
  changed_at: Int;
  deadline_at: Int;
  status: NullableInt;
  headers: string | null;
  body: Uint8Array | null;
};

export type StaleAnswersTable = {
  organization_id: string;
  fingerprint: string;
  status: Int;
  headers: string;
  body: Uint8Array;
  stored_at: Int;
};

/** A budget in a month; '' is the scope of the organisation as a whole. */
export type BudgetPeriodsTable = {
  organization_id: string;
  month: Int;
  kind: string;
  scope_id: string;
  posted_nanos: Int;
  reserved_nanos: Int;
  /** When a reservation was last refused because too little was unreserved. */
  short_at: NullableInt;
};

export type BudgetReservationsTable = {
  id: string;
  request_id: string;
  attempt: Int;
  organization_id: string;
  key_id: string;
  user_id: string | null;
  category: string | null;
  provider: string;
  model: string;
  streamed: Int;
  amount_nanos: Int;
  reserves_key: Int;
  reserves_user: Int;
  month: Int;
  expires_at: Int;
  /** 1: a tombstone. It reserves nothing and prevents a late reservation with this id until it expires. */
  is_void: ColumnType<number | string | bigint, number | undefined, number>;
};

export type BudgetAllotmentsTable = {
  id: string;
  server_id: string;
  organization_id: string;
  month: Int;
  kind: string;
  scope_id: string;
  purpose: string;
  amount_nanos: Int;
  /** The number of the renewal that wrote it last. */
  version: Int;
  expires_at: Int;
};
