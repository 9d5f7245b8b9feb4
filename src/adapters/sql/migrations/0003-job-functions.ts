// What PostgreSQL does for many jobs in one round trip: handing in and moving. What belongs to a job is made from the row
// that was written for it, so that one whose public id is known, or that had moved on, writes nothing at all. Each job
// is in a call once. Rows come as arrays of types made for them, their long texts apart in one value; what there is none of
// is null. The types are their own, because tables may get further columns.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

export async function jobFunctions(db: Kysely<Schema>): Promise<void> {
  for (const text of [...TYPES, ANNOUNCE_IN_TURN, CREATE, MOVE]) await sql.raw(text).execute(db);
}

/**
 * Planning takes longer than running. The plan that is kept goes by keys whatever the sizes of tables: ids are said once
 * more as a list where a table is joined, so that there is no other way that looks shorter while it is empty.
 */
const KEPT_PLAN = 'set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off';

const NEW_JOB_FIELDS = {
  id: 'text',
  organization_id: 'text',
  public_id: 'text',
  origin: 'text',
  state: 'text',
  fence: 'bigint',
  run: 'integer',
  attempts: 'integer',
  losses: 'integer',
  event_count: 'integer',
  priority: 'integer',
  queue: 'text',
  provider: 'text',
  model: 'text',
  key_id: 'text',
  user_id: 'text',
  request_id: 'text',
  locale: 'text',
  time_zone: 'text',
  trace_parent: 'text',
  callback_url: 'text',
  metadata: 'text',
  wait_code: 'text',
  error: 'text',
  run_at: 'bigint',
  published_at: 'bigint',
  deadline_at: 'bigint',
  lease_owner: 'text',
  lease_until: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  started_at: 'bigint',
  finished_at: 'bigint',
};
const NEW_JOB_COLUMNS = Object.keys(NEW_JOB_FIELDS).join(', ');

const TYPES = [
  `create type new_job as (${Object.entries(NEW_JOB_FIELDS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})`,

  // What a move gives; `emptied` has a bit for each column that becomes null, in the order of EMPTIABLE.
  `create type moved_job as (of_job text, seen_fence bigint, to_state text, moved_at bigint, event_rows integer,
    new_run integer, new_attempts integer, new_losses integer, new_queue text, new_run_at bigint, new_provider text,
    new_model text, new_wait_code text, new_error text, new_lease_owner text, new_lease_until bigint,
    new_started_at bigint, new_finished_at bigint, emptied integer, this_run integer, nth integer, worker text,
    begun_at bigint, came_out text, end_code text, cost bigint, ended_at bigint, text_at integer)`,

  // An event of a job; `told_data` where its build is told other words, or of a failure, which then stands apart.
  `create type told_event as (of_job text, place integer, behind integer, kind text, data text, at bigint,
    told_data text, is_end boolean, code text, params text, sentence text)`,

  `create type announced_message as (for_job text, place integer, to_queue text, message_id text, text_at integer,
    in_lane text, urgency integer, stands text, seen_at bigint, put_at bigint)`,

  // What the rows that belong to a job are made from: of the job as it was just written.
  `create type written_job as (id text, event_count integer, organization_id text, public_id text, user_id text,
    provider text, model text)`,

  // What a move says of an attempt that it begins or ends, and of its result.
  `create type made_attempt as (of_job text, provider text, model text, this_run integer, nth integer, worker text,
    begun_at bigint, came_out text, end_code text, cost bigint, ended_at bigint, text_at integer)`,
];

const AS_WRITTEN =
  'row(id, event_count, organization_id, public_id, user_id, provider, model)::written_job';

/** How many come after an event is known to who tells it; how many came before only the store knows. */
const KEEP_EVENTS = `
  insert into job_events (job_id, sequence, type, data, created_at)
  select job.id, job.event_count - behind, kind, data, at
  from unnest(written) as job join unnest(told) as event on of_job = job.id;`;

/**
 * The same events among those of builds, but for which queue a job is on. Events of one build take turns, so that they can
 * be seen in the order of their ids; always in the same order of builds, so that two writers of several cannot wait for
 * each other.
 */
const TELL_BUILDS = `
  if is_told then
    perform pg_advisory_xact_lock(hashtextextended(build, 0))
    from (select organization_id || '/' || public_id as build from unnest(written)
      order by organization_id || '/' || public_id collate "C") as builds;
    insert into project_build_events (organization_id, build_id, user_id, event_type, event_data, created_at,
      user_visible, finished, error_code, error_params, user_error_message)
    select owner.organization_id, owner.public_id, owner.user_id, 'job.' || kind,
      coalesce(told_data, data, '{}')::jsonb, to_timestamp(at / 1000.0), true, coalesce(is_end, false), code,
      params::jsonb, sentence
    from unnest(written) as owner join unnest(told) as event on of_job = owner.id
    where kind <> 'routed'
    order by place;
  end if;`;

/** The row of a lane is locked until the commit: those who need no turn of their own do not queue up for it. */
const ANNOUNCE_UNORDERED = `
  if unordered is not null then
    insert into queue_messages (queue, id, body, lane, priority, tag, status, visible_at, deliveries, published_at)
    select to_queue, message_id, long_texts[text_at], in_lane, urgency,
      coalesce((select head_tag from queue_heads where queue_heads.queue = to_queue), 0),
      stands, seen_at, 0, put_at
    from unnest(unordered) as message
    where for_job = any(written_ids)
    on conflict (queue, id) do nothing;
  end if;`;

/** Each lane is given as many tags in a row as it has messages here; always in the same order of lanes. */
const ANNOUNCE_IN_TURN = `
create function announce_in_turn(written text[], messages announced_message[], long_texts text[]) returns void
language plpgsql as $body$
#variable_conflict use_column
begin
  with in_turn as (
    select to_queue, message_id, long_texts[text_at] as body, in_lane, urgency, stands, seen_at, put_at,
      row_number() over (partition by to_queue, in_lane order by place) as nth
    from unnest(messages) as message
    where for_job = any(written)
  ), wish as (
    select to_queue, in_lane, max(nth) as turns,
      coalesce((select head_tag from queue_heads where queue_heads.queue = to_queue), 0) as head
    from in_turn group by to_queue, in_lane order by to_queue, in_lane
  ), turn as (
    insert into queue_lanes as known (queue, lane, last_tag)
    select to_queue, in_lane, head + turns - 1 from wish
    on conflict (queue, lane) do update set last_tag = (
      select greatest(known.last_tag + 1, head) + turns - 1 from wish
      where to_queue = excluded.queue and in_lane = excluded.lane)
    returning queue, lane, last_tag
  )
  insert into queue_messages (queue, id, body, lane, priority, tag, status, visible_at, deliveries, published_at)
  select to_queue, message_id, body, in_lane, urgency, last_tag - turns + nth, stands, seen_at, 0, put_at
  from in_turn join wish using (to_queue, in_lane) join turn on queue = to_queue and lane = in_lane
  on conflict (queue, id) do nothing;
end $body$`;

/** Their messages are the first of the texts. Returns the ids of those that were new, with commas between, or null. */
const CREATE = `
create function create_jobs(new_jobs new_job[], told told_event[], is_told boolean, unordered announced_message[],
  in_turn announced_message[], texts text, separator text)
returns text language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with created as (
    insert into jobs (${NEW_JOB_COLUMNS})
    select ${NEW_JOB_COLUMNS} from unnest(new_jobs) order by organization_id, public_id
    on conflict (organization_id, public_id) do nothing
    returning id, ${AS_WRITTEN} as job)
  select array_agg(job), array_agg(id) into written, written_ids from created;
  if written_ids is null then return null; end if;
  insert into job_payloads (job_id, message)
  select id, long_texts[ordinality] from unnest(new_jobs) with ordinality
  where id = any(written_ids);${KEEP_EVENTS}${ANNOUNCE_UNORDERED}
  if in_turn is not null then perform announce_in_turn(written_ids, in_turn, long_texts); end if;${TELL_BUILDS}
  return array_to_string(written_ids, ',');
end $body$`;

/** Columns that a move may empty, each a bit of `emptied` in this order. */
export const EMPTIABLE = [
  'provider',
  'model',
  'wait_code',
  'error',
  'lease_owner',
  'lease_until',
  'started_at',
  'finished_at',
] as const;

function emptied(column: string, place: number): string {
  return `${column} = case when emptied & ${2 ** place} <> 0 then null else coalesce(new_${column}, ${column}) end`;
}

/**
 * Returns the ids of those that were moved, with commas between; null where none was. What a move gives is set, what it
 * names in `emptied` becomes null, and what it does not mention stays.
 */
const MOVE = `
create function move_jobs(moves moved_job[], ids text[], told told_event[], is_told boolean, has_starts boolean,
  has_ends boolean, has_results boolean, unordered announced_message[], in_turn announced_message[], texts text,
  separator text)
returns text language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  made made_attempt[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with updated as (
    update jobs set state = to_state, fence = fence + 1, event_count = event_count + event_rows,
      published_at = moved_at, updated_at = moved_at,
      run = coalesce(new_run, run), attempts = coalesce(new_attempts, attempts),
      losses = coalesce(new_losses, losses), queue = coalesce(new_queue, queue), run_at = coalesce(new_run_at, run_at),
      ${EMPTIABLE.map(emptied).join(',\n      ')}
    from unnest(moves) as move
    where id = of_job and fence = seen_fence and id = any(ids)
    returning id, ${AS_WRITTEN} as job, row(id, provider, model, this_run, nth, worker, begun_at, came_out, end_code,
      cost, ended_at, text_at)::made_attempt as attempt)
  select array_agg(job), array_agg(id), array_agg(attempt) into written, written_ids, made from updated;
  if written_ids is null then return null; end if;${KEEP_EVENTS}
  if has_starts then
    insert into job_attempts (job_id, run, attempt, provider, model, worker_id, started_at)
    select of_job, this_run, nth, provider, model, worker, begun_at from unnest(made) where begun_at is not null;
  end if;
  if has_ends then
    update job_attempts set outcome = came_out, error_code = end_code, cost_nanos = cost, finished_at = ended_at
    from unnest(made) as ending
    where job_id = of_job and run = this_run and came_out is not null and job_id = any(written_ids);
  end if;
  if has_results then
    insert into job_results (job_id, result)
    select of_job, long_texts[text_at] from unnest(made) where text_at is not null;
  end if;${ANNOUNCE_UNORDERED}
  if in_turn is not null then perform announce_in_turn(written_ids, in_turn, long_texts); end if;${TELL_BUILDS}
  return array_to_string(written_ids, ',');
end $body$`;
