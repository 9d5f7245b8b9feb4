-- The row types in which a server passes jobs, their events and their messages to create_jobs and move_jobs. They are not the
-- tables' own row types, so that a column added to a table does not change a function's signature. Texts that may be long
-- are passed apart, in one value; text_at is a text's position in it, from 1.

-- A job to create: one field per column of jobs.
create type new_job as (
  id text, organization_id text, public_id text, origin text, state text, fence bigint, run integer, attempts integer,
  losses integer, event_count integer, priority integer, queue text, provider text, model text, key_id text, user_id text,
  request_id text, locale text, time_zone text, trace_parent text, callback_url text, metadata text, wait_code text,
  error text, run_at bigint, published_at bigint, deadline_at bigint, lease_owner text, lease_until bigint,
  created_at bigint, updated_at bigint, started_at bigint, finished_at bigint
);

-- A job's change of state. new_… is null for a column that stays; `cleared` has one bit per column that becomes null
-- (see move_jobs). The fields from this_run on are the attempt that the move starts or ends, and its result.
create type job_move as (
  of_job text, seen_fence bigint, to_state text, moved_at bigint, event_rows integer, new_run integer,
  new_attempts integer, new_losses integer, new_queue text, new_run_at bigint, new_provider text, new_model text,
  new_wait_code text, new_error text, new_lease_owner text, new_lease_until bigint, new_started_at bigint,
  new_finished_at bigint, cleared integer, this_run integer, attempt_number integer, worker text, begun_at bigint,
  attempt_outcome text, end_code text, cost bigint, ended_at bigint, text_at integer
);

-- An event of a job. place: its position in the batch. events_after: the number of the job's events that follow it in the
-- batch. build_data, code, params and sentence: the content of the build event where it differs from data.
create type job_event as (
  of_job text, place integer, events_after integer, kind text, data text, at bigint, build_data text, is_end boolean,
  code text, params text, sentence text
);

-- A queue message that is published with a job. place: its position in the batch.
create type job_message as (
  for_job text, place integer, to_queue text, message_id text, text_at integer, to_tenant text, urgency integer,
  in_status text, seen_at bigint, put_at bigint
);

-- The columns of a job row just inserted or updated from which its events are written.
create type written_job as (
  id text, event_count integer, organization_id text, public_id text, user_id text, provider text, model text
);

-- The attempt that a move starts or ends, and its result.
create type attempt_change as (
  of_job text, provider text, model text, this_run integer, attempt_number integer, worker text, begun_at bigint,
  attempt_outcome text, end_code text, cost bigint, ended_at bigint, text_at integer
);
