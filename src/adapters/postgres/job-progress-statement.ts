// The progress of jobs among the build events as part of the statement that moves them, with the same rules as
// sql/job-progress.ts: events of one build take turns, so that they can be seen in the order of their ids.

import { progressRow, type ToldProgress, toldEvents } from '../sql/job-progress.ts';
import type { StatementText } from './statement-text.ts';

export type JobsProgress = ToldProgress & { readonly jobId: string };

/** For those jobs that are rows of the part `from`. */
export function addProgress(
  statement: StatementText,
  from: string,
  told: readonly JobsProgress[],
): void {
  const rows = told.flatMap(toRows).map((row, place) => ({ ...row, place }));
  if (rows.length === 0) return;
  // Always in the same order, so that two writers of several builds cannot wait for each other.
  statement.part(
    'in_line',
    `select id, organization_id, public_id, user_id,
       pg_advisory_xact_lock(hashtextextended(organization_id || '/' || public_id, 0))
     from (select id, organization_id, public_id, user_id from ${from}
       order by organization_id || '/' || public_id collate "C") as build`,
  );
  statement.part(
    'progress',
    `insert into project_build_events (organization_id, build_id, user_id, event_type, event_data, created_at,
       user_visible, finished, error_code, error_params, user_error_message)
     select organization_id, public_id, user_id, told_type, told_data::jsonb, to_timestamp(told_at / 1000.0),
       true, is_end, code, params::jsonb, sentence
     from in_line join ${statement.rows(rows, TOLD)} on of_job = id order by place`,
  );
}

const TOLD = `told_event (of_job text, place integer, told_type text, told_data text, told_at bigint,
  is_end boolean, code text, params text, sentence text)`;

function toRows(told: JobsProgress) {
  return toldEvents(told).map((event) => {
    const { type, data, isEnd, error } = progressRow(event);
    return {
      of_job: told.jobId,
      told_type: type,
      told_data: JSON.stringify(data),
      told_at: told.at,
      is_end: isEnd,
      ...(error && {
        code: error.code,
        params: JSON.stringify(error.params),
        sentence: error.message,
      }),
    };
  });
}
