// A job's progress among the build events as part of the statement that moves it, with the same rules as
// sql/job-progress.ts: events of one build take turns, so that they can be seen in the order of their ids.

import {
  type ProgressRow,
  progressRow,
  type ToldProgress,
  toldEvents,
} from '../sql/job-progress.ts';
import type { StatementText } from './statement-text.ts';

/** For each row of the part `from`, of which there is one or none. */
export function addProgress(statement: StatementText, from: string, told: ToldProgress): void {
  const rows = toldEvents(told).map(progressRow);
  if (rows.length === 0) return;
  statement.part(
    'in_line',
    `select organization_id, public_id, user_id,
       pg_advisory_xact_lock(hashtextextended(organization_id || '/' || public_id, 0)) from ${from}`,
  );
  const at = statement.value(told.at, 'bigint');
  // Only several have to be kept in their order; nearly always there is one, and planning counts.
  const order = rows.length > 1 ? ' order by told.place' : '';
  statement.part(
    'progress',
    `insert into project_build_events (organization_id, build_id, user_id, event_type, event_data, created_at,
       user_visible, finished, error_code, error_params, user_error_message)
     select organization_id, public_id, user_id, told.type, told.data::jsonb, to_timestamp(${at} / 1000.0),
       true, told.is_end, told.code, told.params::jsonb, told.message
     from in_line, (values ${rows.map((row, place) => valuesOf(statement, row, place)).join(', ')})
       as told (place, type, data, is_end, code, params, message)${order}`,
  );
}

function valuesOf(statement: StatementText, row: ProgressRow, place: number): string {
  const { type, data, isEnd, error } = row;
  const texts = [type, JSON.stringify(data)].map((text) => statement.value(text, 'text'));
  const told = error ? [error.code, JSON.stringify(error.params), error.message] : [];
  const errors = [0, 1, 2].map((index) =>
    told[index] === undefined ? 'null::text' : statement.value(told[index], 'text'),
  );
  return `(${[place, ...texts, isEnd, ...errors].join(', ')})`;
}
