-- move_jobs: moves jobs to new states with their attempts, results, events and messages, in one round trip for a batch. A
--   job whose fence is not the one the caller saw writes nothing at all.
-- Arguments: moves, ids (of the same jobs: given again as a list, so that an index scan is the only plan), events,
--   with_build_events (false after the table of build events has refused them), has_starts, has_ends and has_results
--   (whether any move starts an attempt, ends one or has a result), unordered and in_turn (messages, or null), texts (results
--   and message bodies) joined by separator. A job appears once per call, moves are ordered by job.
-- Columns that a move sets to null, by their bit in `cleared`: provider 1, model 2, wait_code 4, error 8, lease_owner 16,
--   lease_until 32, started_at 64, finished_at 128. The bits are set in postgres/jobs/job-statements.ts.
-- Returns: the ids of the moved jobs, separated by commas; null if there are none.
-- Locks: the jobs, in the order of moves; then as publish_in_turn and insert_build_events.
-- The generic plan is forced for the reason given in create-jobs.sql.

create or replace function move_jobs(moves job_move[], ids text[], events job_event[], with_build_events boolean,
  has_starts boolean, has_ends boolean, has_results boolean, unordered job_message[], in_turn job_message[], texts text,
  separator text)
returns text
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  written written_job[];
  written_ids text[];
  changes attempt_change[];
  long_texts text[] := string_to_array(texts, separator);
begin
  with updated as (
    update jobs set state = to_state, fence = fence + 1, event_count = event_count + event_rows,
      published_at = moved_at, updated_at = moved_at,
      run = coalesce(new_run, run), attempts = coalesce(new_attempts, attempts),
      losses = coalesce(new_losses, losses), queue = coalesce(new_queue, queue), run_at = coalesce(new_run_at, run_at),
      provider = case when cleared & 1 <> 0 then null else coalesce(new_provider, provider) end,
      model = case when cleared & 2 <> 0 then null else coalesce(new_model, model) end,
      wait_code = case when cleared & 4 <> 0 then null else coalesce(new_wait_code, wait_code) end,
      error = case when cleared & 8 <> 0 then null else coalesce(new_error, error) end,
      lease_owner = case when cleared & 16 <> 0 then null else coalesce(new_lease_owner, lease_owner) end,
      lease_until = case when cleared & 32 <> 0 then null else coalesce(new_lease_until, lease_until) end,
      started_at = case when cleared & 64 <> 0 then null else coalesce(new_started_at, started_at) end,
      finished_at = case when cleared & 128 <> 0 then null else coalesce(new_finished_at, finished_at) end
    from unnest(moves) as move
    where id = of_job and fence = seen_fence and id = any(ids)
    returning id, row(id, event_count, organization_id, public_id, user_id, provider, model)::written_job as job,
      row(id, provider, model, this_run, attempt_number, worker, begun_at, attempt_outcome, end_code, cost, ended_at,
        text_at)::attempt_change as change)
  select array_agg(job), array_agg(id), array_agg(change) into written, written_ids, changes from updated;
  if written_ids is null then return null; end if;

  perform insert_job_events(written, events);
  if has_starts then
    insert into job_attempts (job_id, run, attempt, provider, model, worker_id, started_at)
    select of_job, this_run, attempt_number, provider, model, worker, begun_at
    from unnest(changes) where begun_at is not null;
  end if;
  if has_ends then
    update job_attempts set outcome = attempt_outcome, error_code = end_code, cost_nanos = cost, finished_at = ended_at
    from unnest(changes) as ending
    where job_id = of_job and run = this_run and attempt_outcome is not null and job_id = any(written_ids);
  end if;
  if has_results then
    insert into job_results (job_id, result)
    select of_job, long_texts[text_at] from unnest(changes) where text_at is not null;
  end if;
  if unordered is not null then perform publish_unordered(written_ids, unordered, long_texts); end if;
  if in_turn is not null then perform publish_in_turn(written_ids, in_turn, long_texts); end if;
  if with_build_events then perform insert_build_events(written, events); end if;
  return array_to_string(written_ids, ',');
end
$$;
