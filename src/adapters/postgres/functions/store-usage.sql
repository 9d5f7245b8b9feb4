-- store_usage: stores usage records once each, adds them to the hourly roll-ups and replaces reservations by real costs.
--   A record also replaces the estimate ('LOST') that was stored when its attempt was given up.
-- Arguments: lines (usage records), opened (reservations a server made from its own allotment, see budget_asks), closed (ids
--   of attempts that were never sent and of reservations that ended), voided (ended reservations whose statement may still
--   arrive), at (now, epoch ms). An estimate stored for a closed or voided id is removed.
-- Returns: one row: stored (new records minus removed estimates) and crossed (budget thresholds passed, as JSON, or null).
-- Locks, in this order everywhere, so that servers never deadlock: reservations, usage records, roll-ups, then budgets by
--   key. Each statement sees everything committed before it starts, including while it waited for a lock.

create or replace function store_usage(lines usage_line[], opened jsonb, closed text[], voided jsonb, at bigint)
returns table (stored bigint, crossed jsonb)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  ended budget_reservations[];
  lost usage_records[];
  fresh usage_records[];
  begun budget_reservations[];
begin
  with gone as (
    delete from budget_reservations h
    where (h.id = any (closed) or h.id in (select id from unnest(lines))) and h.is_void = 0 returning h
  ) select array_agg(h) into ended from gone;

  if voided <> '[]' then
    ended := ended || void_reservations(voided, at);
    closed := closed || array(select id from budget_asks(voided));
  end if;

  with given_up as (
    delete from usage_records r
    where r.status = 'LOST' and r.id = any (closed || array(select id from unnest(lines) l where l.status <> 'LOST'))
    returning r
  ) select array_agg(r) into lost from given_up;

  with placed as (
    insert into usage_records as r (
      id, request_id, attempt, organization_id, key_id, user_id, provider, model, input_tokens, output_tokens,
      cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens, cost_nanos, category, latency_ms,
      status, streamed, estimated, created_at, budget_month)
    select l.id, l.request_id, l.attempt, l.organization_id, l.key_id, l.user_id, l.provider, l.model, l.input_tokens,
      l.output_tokens, l.cache_read_tokens, l.cache_write_tokens, l.cache_write_1h_tokens, l.reasoning_tokens,
      l.cost_nanos, l.category, l.latency_ms, l.status, l.streamed, l.estimated, l.created_at,
      coalesce(l.budget_month,
        to_char(to_timestamp(l.created_at / 1000.0) at time zone 'UTC', 'YYYYMM')::integer)
    from unnest(lines) l
    order by l.id collate "C"
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
    insert into budget_reservations as h (
      id, request_id, attempt, organization_id, key_id, user_id, category, provider, model, streamed, amount_nanos,
      reserves_key, reserves_user, month, expires_at)
    select a.id, a.request_id, a.attempt, a.organization_id, a.key_id, a.user_id, a.category, a.provider, a.model,
      a.streamed, a.amount_nanos, a.reserves_key, a.reserves_user, a.month, a.expires_at
    from budget_asks(opened) a where not exists (select from usage_records r where r.id = a.id offset 0)
    on conflict do nothing returning h
  ) select array_agg(h) into begun from placed;

  return query
  with moves as (
    select r.organization_id, r.budget_month as month, b.kind, b.scope_id, s.sign * r.cost_nanos as posted, 0 as reserved
    from (values (fresh, 1), (lost, -1)) as s (records, sign), unnest(s.records) as r,
      lateral (values ('organization', ''), ('key', r.key_id), ('user', r.user_id)) as b (kind, scope_id)
    where b.scope_id is not null
    union all
    select h.organization_id, h.month, b.kind, b.scope_id, 0, s.sign * h.amount_nanos
    from (values (begun, 1), (ended, -1)) as s (reservations, sign), unnest(s.reservations) as h, lateral (values
      ('organization', '', 1), ('key', h.key_id, h.reserves_key), ('user', h.user_id, h.reserves_user)
    ) as b (kind, scope_id, is_reserved)
    where b.is_reserved = 1
  ), sums as (
    select organization_id, month, kind, scope_id, sum(posted)::bigint as posted, sum(reserved)::bigint as reserved
    from moves group by 1, 2, 3, 4
  ), kept as (
    insert into budget_periods as p (organization_id, month, kind, scope_id, posted_nanos, reserved_nanos)
    select organization_id, month, kind, scope_id, posted, reserved from sums
    order by organization_id collate "C", month, kind collate "C", scope_id collate "C"
    on conflict (organization_id, month, kind, scope_id) do update set
      posted_nanos = p.posted_nanos + excluded.posted_nanos, reserved_nanos = p.reserved_nanos + excluded.reserved_nanos
    returning p.organization_id, p.month, p.kind, p.scope_id, p.posted_nanos
  ), passed as (
    select k.organization_id, k.month, k.kind, k.scope_id, t.percent, k.posted_nanos, k.allowed
    from (
      select kept.organization_id, kept.month, kept.kind, kept.scope_id, kept.posted_nanos, sums.posted,
        budget_limit(kept.organization_id, kept.kind, kept.scope_id) as allowed
      from kept join sums using (organization_id, month, kind, scope_id) where sums.posted > 0
    ) k cross join (values (50), (80), (90), (100)) as t (percent)
    where k.allowed > 0 and k.posted_nanos >= k.allowed / 100.0 * t.percent
      and k.posted_nanos - k.posted < k.allowed / 100.0 * t.percent
  ), told as (
    insert into budget_alerts (organization_id, month, kind, scope_id, percent, created_at)
    select organization_id, month, kind, scope_id, percent, at from passed
    on conflict do nothing returning organization_id, month, kind, scope_id, percent
  )
  select (coalesce(cardinality(fresh), 0) - coalesce(cardinality(lost), 0))::bigint, (
    select jsonb_agg(jsonb_build_object('organizationId', organization_id, 'month', month, 'kind', kind,
      'scopeId', scope_id, 'percent', percent, 'limitNanos', allowed, 'spentNanos', posted_nanos))
    from told join passed using (organization_id, month, kind, scope_id, percent));
end
$$;
