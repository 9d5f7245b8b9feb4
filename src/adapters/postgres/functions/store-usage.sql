-- store_usage: stores usage records once each, adds them to the hourly roll-ups and replaces reservations by real costs.
--   A record also replaces the estimate ('LOST') that was stored when its attempt was given up.
-- Arguments: lines (usage records), opened (reservations that a server made from its own allotment), closed (ids of attempts
--   that were never sent, and of reservations and allotments that have ended), voided (ended reservations whose
--   reserve_budgets may still arrive: a tombstone with is_void = 1 takes their id for a day, so that it conflicts and
--   reserves nothing), at (now, epoch ms). An estimate stored for a closed or voided id is removed.
-- Returns: one row: stored (new records minus removed estimates) and crossed (budget thresholds passed, as JSON, or null).
-- Locks, in this order everywhere, so that servers never deadlock: reservations, allotments, usage records, roll-ups, then
--   budgets by key. Each statement sees everything committed before it starts, including while it waited for a lock.

create or replace function store_usage(
  lines usage_line[], opened reservation_line[], closed text[], voided reservation_line[], at bigint)
returns table (stored bigint, crossed jsonb)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  ended budget_reservations[];
  lost usage_records[];
  fresh usage_records[];
  begun budget_reservations[];
  freed budget_allotments[];
begin
  with gone as (
    delete from budget_reservations r
    where (r.id = any (closed) or r.id in (select id from unnest(lines))) and r.is_void = 0 returning r
  ) select array_agg(r) into ended from gone;

  with gone as (
    delete from budget_allotments a
    where a.id = any (closed || array(select id from unnest(lines) l where l.status = 'LOST')) returning a
  ) select array_agg(a) into freed from gone;

  if voided <> '{}' then
    -- It may deadlock with a reserve_budgets of the same ids; PostgreSQL then fails one, and only this is sent again.
    insert into budget_reservations select v.*, 1 from unnest(voided) v order by v.id collate "C" on conflict do nothing;
    select ended || array_agg(f.r) into ended from (
      select r from budget_reservations r where r.id in (select id from unnest(voided)) and r.is_void = 0 for update
    ) f;
    update budget_reservations set amount_nanos = 0, expires_at = at + 86400000, is_void = 1
    where id in (select id from unnest(voided));
    closed := closed || array(select id from unnest(voided));
  end if;

  with given_up as (
    delete from usage_records r
    where r.status = 'LOST' and r.id = any (closed || array(select id from unnest(lines) l where l.status <> 'LOST'))
    returning r
  ) select array_agg(r) into lost from given_up;

  with placed as (
    insert into usage_records as r select l.* from unnest(lines) l order by l.id collate "C"
    on conflict do nothing returning r
  ) select array_agg(r) into fresh from placed;

  insert into usage_rollups as known (
    organization_id, hour_start, provider, model, user_id, category, key_id, attempts, failures, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos)
  select r.organization_id, r.created_at / 3600000 * 3600000, r.provider, r.model, coalesce(r.user_id, ''),
    coalesce(r.category, ''), r.key_id, sum(s.sign),
    coalesce(sum(s.sign) filter (where r.status not in ('OK', 'CLIENT_GONE')), 0),
    sum(s.sign * r.input_tokens), sum(s.sign * r.output_tokens), sum(s.sign * r.cache_read_tokens),
    sum(s.sign * (r.cache_write_tokens + r.cache_write_1h_tokens)), sum(s.sign * r.cost_nanos)
  from (values (fresh, 1), (lost, -1)) as s (records, sign), unnest(s.records) as r
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (organization_id, hour_start, provider, model, user_id, category, key_id) do update set
    attempts = known.attempts + excluded.attempts,
    failures = known.failures + excluded.failures,
    input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
    cost_nanos = known.cost_nanos + excluded.cost_nanos;

  with placed as (
    insert into budget_reservations as r
    select o.* from unnest(opened) o where not exists (select from usage_records u where u.id = o.id offset 0)
    on conflict do nothing returning r
  ) select array_agg(r) into begun from placed;

  return query
  with moved as (
    select * from move_budgets(array(
      select row(r.organization_id, r.budget_month, b.kind, b.scope_id, s.sign * r.cost_nanos, 0, null)::budget_periods
      from (values (fresh, 1), (lost, -1)) as s (records, sign), unnest(s.records) as r,
        budgets_of(r.key_id, r.user_id, 1, 1) as b
      union all
      select row(r.organization_id, r.month, b.kind, b.scope_id, 0, s.sign * r.amount_nanos, null)::budget_periods
      from (values (begun, 1), (ended, -1)) as s (reservations, sign), unnest(s.reservations) as r,
        budgets_of(r.key_id, r.user_id, r.reserves_key, r.reserves_user) as b
      union all
      select row(a.organization_id, a.month, a.kind, a.scope_id, 0, -a.amount_nanos, null)::budget_periods
      from unnest(freed) as a))
  ), passed as (
    select m.*, t.percent from moved m cross join (values (50), (80), (90), (100)) as t (percent)
    where m.allowed > 0 and m.posted_nanos >= m.allowed / 100.0 * t.percent
      and m.posted_nanos - m.posted_change < m.allowed / 100.0 * t.percent
  ), reported as (
    insert into budget_alerts (organization_id, month, kind, scope_id, percent, created_at)
    select organization_id, month, kind, scope_id, percent, at from passed
    on conflict do nothing returning organization_id, month, kind, scope_id, percent
  )
  select (coalesce(cardinality(fresh), 0) - coalesce(cardinality(lost), 0))::bigint, (
    select jsonb_agg(jsonb_build_object('organizationId', organization_id, 'month', month, 'kind', kind,
      'scopeId', scope_id, 'percent', percent, 'limitNanos', allowed, 'spentNanos', posted_nanos))
    from reported join passed using (organization_id, month, kind, scope_id, percent));
end
$$;
