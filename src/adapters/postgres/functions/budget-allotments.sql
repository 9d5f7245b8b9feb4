-- budget_allotment_targets: what a server has set aside of each budget, and what it should have: a fiftieth of the limit, at
--   most a tenth of what is unreserved, nothing if the organisation was short in the last minute. An amount between
--   half and twice the target stays as it is.
-- Arguments: server, wishes (an array of budget keys), at (now, epoch ms). Returns: one row per budget. Takes no locks.

create or replace function budget_allotment_targets(server text, wishes jsonb, at bigint)
returns table (
  organization_id text, month integer, kind text, scope_id text, had bigint, wanted bigint, expires_at bigint)
language sql stable as $$
  select organization_id, month, kind, scope_id, had,
    case when wanted > 0 and had between wanted / 2 and wanted * 2 then had else wanted end, expires_at
  from (
    select p.organization_id, p.month, p.kind, p.scope_id, coalesce(r.amount_nanos, 0) as had, r.expires_at,
      case when w.organization_id is null or o.short_at > at - 60000 then 0
        else coalesce(greatest(0, least(l.allowed / 50,
          (l.allowed - p.posted_nanos - p.reserved_nanos + coalesce(r.amount_nanos, 0)) / 10)), 0) end as wanted
    from (
      select organization_id, month, kind, scope_id
      from jsonb_to_recordset(wishes) as w (organization_id text, month integer, kind text, scope_id text)
    ) w
    full join (select * from budget_allotments where server_id = server) r using (organization_id, month, kind, scope_id)
    join budget_periods p using (organization_id, month, kind, scope_id)
    join budget_periods o on o.organization_id = p.organization_id and o.month = p.month and o.kind = 'organization'
    cross join lateral (select budget_limit(p.organization_id, p.kind, p.scope_id) as allowed) l
  ) s
$$;

-- renew_allotments: brings a server's allotments to their targets; a call that changes nothing writes nothing.
-- Arguments: server, wishes, at (see above), until (when the allotments expire, epoch ms).
-- Returns: all allotments of the server. Locks: the server's rows of budget_allotments, then budgets one by one by key.

create or replace function renew_allotments(server text, wishes jsonb, at bigint, until bigint)
returns table (organization_id text, month integer, kind text, scope_id text, amount_nanos bigint)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  each record;
begin
  perform from budget_allotments r where r.server_id = server
  order by r.organization_id, r.month, r.kind, r.scope_id for update;
  for each in
    select w.organization_id, w.month, w.kind, w.scope_id
    from budget_allotment_targets(server, wishes, at) w
    where w.had <> w.wanted or w.had > 0 and w.expires_at < until - (until - at) / 10
    order by w.organization_id collate "C", w.month, w.kind collate "C", w.scope_id collate "C"
  loop
    perform from budget_periods p where p.organization_id = each.organization_id and p.month = each.month
      and p.kind = each.kind and p.scope_id = each.scope_id for update;
    with wish as (
      select w.had, w.wanted from budget_allotment_targets(server, wishes, at) w
      where w.organization_id = each.organization_id and w.month = each.month and w.kind = each.kind
        and w.scope_id = each.scope_id
    ), kept as (
      insert into budget_allotments as r (server_id, organization_id, month, kind, scope_id, amount_nanos, expires_at)
      select server, each.organization_id, each.month, each.kind, each.scope_id, wish.wanted, until from wish
      on conflict (server_id, organization_id, month, kind, scope_id)
      do update set amount_nanos = excluded.amount_nanos, expires_at = excluded.expires_at
    )
    update budget_periods p set reserved_nanos = p.reserved_nanos + wish.wanted - wish.had from wish
    where p.organization_id = each.organization_id and p.month = each.month and p.kind = each.kind
      and p.scope_id = each.scope_id and wish.wanted <> wish.had;
  end loop;
  delete from budget_allotments r where r.server_id = server and r.amount_nanos = 0;
  return query select r.organization_id, r.month, r.kind, r.scope_id, r.amount_nanos
    from budget_allotments r where r.server_id = server;
end
$$;

-- expire_allotments: releases the allotments of servers that stopped renewing them, at most 100 per call.
-- Arguments: at (now, epoch ms). Locks: skips allotments locked by another server; then budgets by key.

create or replace function expire_allotments(at bigint) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  with gone as (
    delete from budget_allotments r using (
      select server_id, organization_id, month, kind, scope_id from budget_allotments where expires_at <= at
      order by server_id, organization_id, month, kind, scope_id limit 100 for update skip locked
    ) e
    where r.server_id = e.server_id and r.organization_id = e.organization_id and r.month = e.month
      and r.kind = e.kind and r.scope_id = e.scope_id
    returning r.organization_id, r.month, r.kind, r.scope_id, r.amount_nanos
  ), sums as (
    select organization_id, month, kind, scope_id, sum(amount_nanos) as nanos from gone group by 1, 2, 3, 4
  )
  insert into budget_periods as p (organization_id, month, kind, scope_id, reserved_nanos)
  select organization_id, month, kind, scope_id, -nanos from sums
  order by organization_id collate "C", month, kind collate "C", scope_id collate "C"
  on conflict (organization_id, month, kind, scope_id) do update set reserved_nanos = p.reserved_nanos + excluded.reserved_nanos;
end
$$;
