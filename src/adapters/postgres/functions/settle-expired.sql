-- settle_expired: ends what servers that died have left. An expired reservation and an expired 'working' allotment are
--   charged in full as an estimate ('LOST'); an expired 'standby' allotment is released. Deletes expired tombstones.
-- Arguments: at (now, epoch ms), standby_at (standby allotments that expired by then are released), most (maximum number of
--   each kind per call).
-- Returns: as store_usage. Locks: skips rows locked by another server; then as store_usage.

create or replace function settle_expired(at bigint, standby_at bigint, most integer)
returns table (stored bigint, crossed jsonb)
language sql set enable_seqscan = off set jit = off as $$
  delete from budget_reservations where expires_at <= at and is_void = 1;

  with expired as (
    select * from budget_reservations where expires_at <= at and is_void = 0
    order by expires_at limit most for update skip locked
  ), abandoned as (
    select * from budget_allotments where expires_at <= at and (purpose = 'working' or expires_at <= standby_at)
    order by expires_at limit most for update skip locked
  ), estimates as (
    select row(id, request_id, attempt, organization_id, key_id, user_id, provider, model, 0, 0, 0, 0, 0, 0,
      amount_nanos, category, 0, 'LOST', streamed, 1, at, month, null)::usage_line as line from expired
    union all
    select row(id, id, 1, organization_id, '', null, 'unknown', 'unknown', 0, 0, 0, 0, 0, 0,
      amount_nanos, null, 0, 'LOST', 0, 1, at, month, null)::usage_line from abandoned where purpose = 'working'
  )
  select stored, crossed from store_usage(
    array(select line from estimates), '{}', array(select id from abandoned where purpose = 'standby'), '{}', at)
$$;
