// The columns of a job by name: a prepared statement with `*` breaks when a migration adds a column.

import type { Selectable } from 'kysely';
import type { JobsTable } from '../../sql/schema.ts';

export type JobRow = Selectable<JobsTable>;

const COLUMNS: Readonly<Record<keyof JobsTable, true>> = {
  id: true,
  organization_id: true,
  public_id: true,
  origin: true,
  state: true,
  fence: true,
  run: true,
  attempts: true,
  losses: true,
  event_count: true,
  priority: true,
  queue: true,
  provider: true,
  model: true,
  key_id: true,
  user_id: true,
  request_id: true,
  locale: true,
  time_zone: true,
  trace_parent: true,
  callback_url: true,
  metadata: true,
  wait_code: true,
  error: true,
  run_at: true,
  published_at: true,
  deadline_at: true,
  lease_owner: true,
  lease_until: true,
  created_at: true,
  updated_at: true,
  started_at: true,
  finished_at: true,
};

export const JOB_COLUMNS = Object.keys(COLUMNS).join(', ');
