// A job's progress among the build events as part of the statement that moves it, with the same rules as
// sql/job-progress.ts: events of one build take turns, so that they can be seen in the order of their ids.

import { type ToldProgress, toldEvents } from '../sql/job-progress.ts';
import type { StatementText } from './statement-text.ts';

/** For each row of the part `from`, of which there is one or none. */
export function addProgress(statement: StatementText, from: string, told: ToldProgress): void {
  const events = toldEvents(told);
  if (events.length === 0) return;
  const types = events.map(({ type }) => type);
  const data = events.map((event) => JSON.stringify(event.data ?? {}));
  statement.part(
    'in_line',
    `select organization_id, public_id, user_id,
       pg_advisory_xact_lock(hashtextextended(organization_id || '/' || public_id, 0)) from ${from}`,
  );
  statement.part(
    'progress',
    `insert into project_build_events (organization_id, build_id, user_id, event_type, event_data, created_at,
       user_visible, finished, error_code, error_params, user_error_message)
     select organization_id, public_id, user_id, 'job.' || type,
       case when is_end then data - '{code,params,message}'::text[] else data end,
       to_timestamp(${statement.value(told.at, 'bigint')} / 1000.0), true, is_end,
       case when is_end then data ->> 'code' end, case when is_end then data -> 'params' end,
       case when is_end then data ->> 'message' end
     from in_line, lateral (select type, data::jsonb, type in ('succeeded', 'failed', 'cancelled', 'expired') as is_end
       from unnest(${statement.value(types, 'text[]')}, ${statement.value(data, 'text[]')})
         with ordinality as event (type, data, place) order by place) as told`,
  );
}
