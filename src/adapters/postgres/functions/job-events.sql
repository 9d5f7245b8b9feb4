-- insert_job_events: stores the events of jobs in job_events. The caller knows how many events follow each one in the batch;
--   the sequence numbers follow from the job's event_count, which only the store knows.
-- Arguments: written (jobs just inserted or updated), events (also of jobs that were not written: those are skipped).
-- Locks: none beyond the inserted rows.

create or replace function insert_job_events(written written_job[], events job_event[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  insert into job_events (job_id, sequence, type, data, created_at)
  select job.id, job.event_count - events_after, kind, data, at
  from unnest(written) as job join unnest(events) as event on of_job = job.id;
end
$$;

-- insert_build_events: stores the same events as build events, except for moves from one queue to another ('routed').
-- Arguments: as for insert_job_events.
-- Locks: one advisory lock per build until the commit, so that a reader sees the events of a build in the order of their ids;
--   locks are taken in the order of the builds' names, so that two writers never deadlock.

create or replace function insert_build_events(written written_job[], events job_event[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended(build, 0))
  from (select organization_id || '/' || public_id as build from unnest(written)
    order by organization_id || '/' || public_id collate "C") as builds;
  insert into project_build_events (organization_id, build_id, user_id, event_type, event_data, created_at,
    user_visible, finished, error_code, error_params, user_error_message)
  select owner.organization_id, owner.public_id, owner.user_id, 'job.' || kind,
    coalesce(build_data, data, '{}')::jsonb, to_timestamp(at / 1000.0), true, coalesce(is_end, false), code,
    params::jsonb, sentence
  from unnest(written) as owner join unnest(events) as event on of_job = owner.id
  where kind <> 'routed'
  order by place;
end
$$;
