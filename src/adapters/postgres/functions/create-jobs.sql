-- create_jobs: inserts jobs with their payloads, events and messages, in one round trip for a batch. A job whose public id
--   exists already writes nothing at all.
-- Arguments: new_jobs, events, with_build_events (false after the table of build events has refused them), unordered and
--   in_turn (messages, or null), texts (the payloads in the order of new_jobs, then the message bodies) joined by separator.
--   A job appears once per call.
-- Returns: the ids of the inserted jobs, separated by commas; null if there are none.
-- Locks: the inserted jobs, ordered by organisation and public id; then as publish_in_turn and insert_build_events.
-- The generic plan is forced and goes by keys: planning takes longer than running, and a plan made while the tables were
-- empty must stay right when they are full. The functions that it calls run under the same settings.

create or replace function create_jobs(new_jobs new_job[], events job_event[], with_build_events boolean,
  unordered job_message[], in_turn job_message[], texts text, separator text)
returns text
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with created as (
    insert into jobs (id, organization_id, public_id, origin, state, fence, run, attempts, losses, event_count, priority,
      queue, provider, model, key_id, user_id, request_id, locale, time_zone, trace_parent, callback_url, metadata,
      wait_code, error, run_at, published_at, deadline_at, lease_owner, lease_until, created_at, updated_at, started_at,
      finished_at)
    select id, organization_id, public_id, origin, state, fence, run, attempts, losses, event_count, priority,
      queue, provider, model, key_id, user_id, request_id, locale, time_zone, trace_parent, callback_url, metadata,
      wait_code, error, run_at, published_at, deadline_at, lease_owner, lease_until, created_at, updated_at, started_at,
      finished_at
    from unnest(new_jobs) order by organization_id, public_id
    on conflict (organization_id, public_id) do nothing
    returning id, row(id, event_count, organization_id, public_id, user_id, provider, model)::written_job as job)
  select array_agg(job), array_agg(id) into written, written_ids from created;
  if written_ids is null then return null; end if;

  insert into job_payloads (job_id, message)
  select id, long_texts[ordinality] from unnest(new_jobs) with ordinality
  where id = any(written_ids);

  perform insert_job_events(written, events);
  if unordered is not null then perform publish_unordered(written_ids, unordered, long_texts); end if;
  if in_turn is not null then perform publish_in_turn(written_ids, in_turn, long_texts); end if;
  if with_build_events then perform insert_build_events(written, events); end if;
  return array_to_string(written_ids, ',');
end
$$;
