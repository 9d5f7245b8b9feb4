-- allotment_targets: the amount that each allotment of a server has and the amount it should have, never less than its floor.
--   'working' is sized by demand: wanted_nanos, at most a hundredth of what is unreserved, and not at all where that is less
--   than an eighth of what is wanted. 'standby' is a fiftieth of the limit, at most a tenth of what is unreserved; it grows
--   only from below half of that. Neither grows within a minute after a request was refused as short. An allotment that is
--   stored and no longer wished for should have nothing.
-- Arguments: server, wishes, at (now, epoch ms). Returns: one row per allotment. Takes no locks.

create or replace function allotment_targets(server text, wishes allotment_line[], at bigint)
returns table (
  id text, organization_id text, month integer, kind text, scope_id text, purpose text, had bigint, target bigint,
  expires_at bigint, is_due boolean)
language sql stable as $$
  select w.id, w.organization_id, w.month, w.kind, w.scope_id, w.purpose, w.had, t.target, w.expires_at,
    w.had <> t.target or w.had > 0 and w.stored_until < w.expires_at - (w.expires_at - at) / 10
  from (
    select id, organization_id, month, kind, scope_id, n.purpose, coalesce(n.floor_nanos, 0) as floor,
      n.wanted_nanos as wanted, n.expires_at, coalesce(a.amount_nanos, 0) as had, a.expires_at as stored_until
    from unnest(wishes) n full join (select * from budget_allotments where server_id = server) a
      using (id, organization_id, month, kind, scope_id)
  ) w
  join budget_periods p using (organization_id, month, kind, scope_id)
  join budget_periods o on o.organization_id = w.organization_id and o.month = w.month and o.kind = 'organization'
  cross join lateral (select budget_limit(w.organization_id, w.kind, w.scope_id) as allowed) l
  cross join lateral (select l.allowed - p.posted_nanos - p.reserved_nanos + w.had as unreserved) u
  cross join lateral (
    select greatest(w.floor, case
      when o.short_at > at - 60000 then 0
      when w.purpose = 'working' and u.unreserved / 100 >= w.wanted / 8 then least(w.wanted, u.unreserved / 100)
      when w.purpose = 'standby' and w.floor < least(l.allowed / 50, u.unreserved / 10) / 2
        then least(l.allowed / 50, u.unreserved / 10)
      else 0
    end) as target
  ) t
$$;

-- renew_allotments: brings a server's allotments to their targets; a call that changes nothing writes nothing. The wishes are
--   all that the server has: an allotment that is left out is released.
-- Arguments: server, wishes, version (higher with every call of the server: a statement that arrives late does nothing), at.
-- Returns: for each wish its amount, and whether a request of its organisation was refused as short in the last minute.
-- Locks: the allotments that change, by id, then their budgets by key.

create or replace function renew_allotments(server text, wishes allotment_line[], version bigint, at bigint)
returns table (id text, amount_nanos bigint, is_short boolean)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  renewal constant bigint := version;
  due constant text[] := array(select t.id from allotment_targets(server, wishes, at) t where t.is_due);
  moves budget_periods[];
begin
  if due <> '{}' then
    perform from budget_allotments a where a.id = any (due) order by a.id for update;
    perform from budget_periods p join allotment_targets(server, wishes, at) t
      using (organization_id, month, kind, scope_id)
    where t.id = any (due) order by organization_id, month, kind, scope_id for update of p;
    if exists (select from budget_allotments a where a.server_id = server and a.version >= renewal) then
      return;
    end if;
    with targets as materialized (
      select * from allotment_targets(server, wishes, at) t where t.id = any (due)
    ), released as (
      delete from budget_allotments a using targets t where a.id = t.id and t.target = 0
    ), granted as (
      insert into budget_allotments as a
      select t.id, server, t.organization_id, t.month, t.kind, t.scope_id, t.purpose, t.target, renewal, t.expires_at
      from targets t where t.target > 0
      on conflict (id) do update
      set amount_nanos = excluded.amount_nanos, version = excluded.version, expires_at = excluded.expires_at
    )
    select array_agg(row(t.organization_id, t.month, t.kind, t.scope_id, 0, t.target - t.had, null)::budget_periods)
    into moves from targets t;
    perform move_budgets(moves);
  end if;

  return query
  select w.id, coalesce(a.amount_nanos, 0), coalesce(o.short_at > at - 60000, false)
  from unnest(wishes) w left join budget_allotments a on a.id = w.id left join budget_periods o
    on o.organization_id = w.organization_id and o.month = w.month and o.kind = 'organization';
end
$$;
