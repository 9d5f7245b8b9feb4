// What PostgreSQL does for many jobs in one round trip: handing in and moving. What belongs to a job is made from the row
// that was written for it, so that one whose public id is known, or that had moved on, writes nothing at all. Each job
// is in a call once. Rows come as JSON, their long texts apart in one value; what there is none of is null.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

export async function jobFunctions(db: Kysely<Schema>): Promise<void> {
  for (const text of [WRITTEN_JOB, TOLD_EVENT, MADE_ATTEMPT, ANNOUNCE_IN_TURN, CREATE, MOVE])
    await sql.raw(text).execute(db);
}

/**
 * Planning takes longer than running. The plan that is kept goes by keys whatever the sizes of tables: ids are said once
 * more as a list where a table is joined, so that there is no other way that looks shorter while it is empty.
 */
const KEPT_PLAN = 'set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off';

/** What the rows that belong to a job are made from: of the job as it was just written. */
const WRITTEN_JOB = `
create type written_job as (id text, event_count integer, organization_id text, public_id text, user_id text,
  provider text, model text)`;

/** What a move says of an attempt that it begins or ends, and of its result. */
const MADE_ATTEMPT = `
create type made_attempt as (of_job text, provider text, model text, this_run integer, nth integer, worker text,
  begun_at bigint, came_out text, end_code text, cost bigint, ended_at bigint, text_at integer)`;

const AS_WRITTEN =
  'row(id, event_count, organization_id, public_id, user_id, provider, model)::written_job';

/** An event of a job; \`told_data\` where its build is told other words, or of a failure, which then stands apart. */
const EVENT_FIELDS = `(of_job text, place integer, behind integer, kind text, data text, at bigint, told_data text,
    is_end boolean, code text, params text, sentence text)`;

const TOLD_EVENT = `create type told_event as ${EVENT_FIELDS}`;

/** They are read once, because reading JSON costs more than what is done with it. */
const READ_EVENTS = `
  select array_agg(event) into told from (
    select row(of_job, place, behind, kind, data, at, told_data, is_end, code, params, sentence)::told_event as event
    from json_to_recordset(events) as event ${EVENT_FIELDS}) as read;`;

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

const MESSAGE = `message (for_job text, place integer, to_queue text, message_id text, text_at integer, in_lane text,
    urgency integer, stands text, seen_at bigint, put_at bigint)`;

/** The row of a lane is locked until the commit: those who need no turn of their own do not queue up for it. */
const ANNOUNCE_UNORDERED = `
  if unordered is not null then
    insert into queue_messages (queue, id, body, lane, priority, tag, status, visible_at, deliveries, published_at)
    select to_queue, message_id, long_texts[text_at], in_lane, urgency,
      coalesce((select head_tag from queue_heads where queue_heads.queue = to_queue), 0),
      stands, seen_at, 0, put_at
    from json_to_recordset(unordered) as ${MESSAGE}
    where for_job = any(written_ids)
    on conflict (queue, id) do nothing;
  end if;`;

/** Each lane is given as many tags in a row as it has messages here; always in the same order of lanes. */
const ANNOUNCE_IN_TURN = `
create function announce_in_turn(written text[], messages json, long_texts text[]) returns void
language plpgsql as $body$
#variable_conflict use_column
begin
  with in_turn as (
    select to_queue, message_id, long_texts[text_at] as body, in_lane, urgency, stands, seen_at, put_at,
      row_number() over (partition by to_queue, in_lane order by place) as nth
    from json_to_recordset(messages) as ${MESSAGE}
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
create function create_jobs(new_jobs json, ids text[], events json, is_told boolean, unordered json, in_turn json,
  texts text, separator text)
returns text language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  told told_event[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with created as (
    insert into jobs select * from json_populate_recordset(null::jobs, new_jobs) order by organization_id, public_id
    on conflict (organization_id, public_id) do nothing
    returning id, ${AS_WRITTEN} as job)
  select array_agg(job), array_agg(id) into written, written_ids from created;
  if written_ids is null then return null; end if;
  insert into job_payloads (job_id, message)
  select id, long_texts[place] from unnest(ids) with ordinality as asked (id, place)
  where id = any(written_ids);${READ_EVENTS}${KEEP_EVENTS}${ANNOUNCE_UNORDERED}
  if in_turn is not null then perform announce_in_turn(written_ids, in_turn, long_texts); end if;${TELL_BUILDS}
  return array_to_string(written_ids, ',');
end $body$`;

const EMPTIABLE = [
  'provider',
  'model',
  'wait_code',
  'error',
  'lease_owner',
  'lease_until',
  'started_at',
  'finished_at',
];

function emptied(column: string): string {
  return `${column} = case when '${column}' = any(emptied) then null else coalesce(new_${column}, ${column}) end`;
}

/**
 * Returns the ids of those that were moved, with commas between; null where none was. What a move gives is set, what it
 * names in \`emptied\` becomes null, and what it does not mention stays.
 */
const MOVE = `
create function move_jobs(moves json, ids text[], events json, is_told boolean, has_starts boolean, has_ends boolean,
  has_results boolean, unordered json, in_turn json, texts text, separator text)
returns text language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  told told_event[];
  made made_attempt[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with updated as (
    update jobs set state = to_state, fence = fence + 1, event_count = event_count + event_rows,
      published_at = moved_at, updated_at = moved_at,
      run = coalesce(new_run, run), attempts = coalesce(new_attempts, attempts),
      losses = coalesce(new_losses, losses), queue = coalesce(new_queue, queue), run_at = coalesce(new_run_at, run_at),
      ${EMPTIABLE.map(emptied).join(',\n      ')}
    from json_to_recordset(moves) as move (of_job text, seen_fence bigint, to_state text, moved_at bigint,
      event_rows integer, new_run integer, new_attempts integer, new_losses integer, new_queue text, new_run_at bigint,
      new_provider text, new_model text, new_wait_code text, new_error text, new_lease_owner text,
      new_lease_until bigint, new_started_at bigint, new_finished_at bigint, emptied text[], this_run integer,
      nth integer, worker text, begun_at bigint, came_out text, end_code text, cost bigint, ended_at bigint,
      text_at integer)
    where id = of_job and fence = seen_fence and id = any(ids)
    returning id, ${AS_WRITTEN} as job, row(id, provider, model, this_run, nth, worker, begun_at, came_out, end_code,
      cost, ended_at, text_at)::made_attempt as attempt)
  select array_agg(job), array_agg(id), array_agg(attempt) into written, written_ids, made from updated;
  if written_ids is null then return null; end if;${READ_EVENTS}${KEEP_EVENTS}
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
