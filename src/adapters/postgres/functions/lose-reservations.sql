-- lose_reservations: settles expired reservations as if their whole amount had been spent, and deletes expired tombstones.
-- Arguments: at (now, epoch ms), most (maximum number of reservations per call).
-- Returns: as store_usage. Locks: skips reservations locked by another server; then as store_usage.

create or replace function lose_reservations(at bigint, most integer)
returns table (stored bigint, crossed jsonb)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  lines usage_line[];
begin
  delete from budget_reservations where expires_at <= at and is_void = 1;
  select array_agg(row(
    h.id, h.request_id, h.attempt, h.organization_id, h.key_id, h.user_id, h.provider, h.model, 0, 0, 0, 0, 0, 0,
    h.amount_nanos, h.category, 0, 'LOST', h.streamed, 1, at, h.month)::usage_line)
  into lines from (
    select * from budget_reservations where expires_at <= at and is_void = 0 order by expires_at limit most for update skip locked
  ) h;
  if lines is null then
    return query select 0::bigint, null::jsonb;
  else
    return query select s.stored, s.crossed from store_usage(lines, '[]', '{}', '[]', at) s;
  end if;
end
$$;
