-- reserve_budgets: reserves the requests of a batch that fit their budgets, in order, each all or nothing.
--   All requests are reserved first. Nearly always all of them fit; otherwise each is decided in order, and the amounts of the
--   refused ones are given back, as are those of requests whose id is taken (a void, see store_usage).
-- Arguments: asks, at (now, epoch ms).
-- Returns: one row per refused request. 'exceeded': the amount is above what is unspent. 'short': the amount is above
--   what is unreserved, or an earlier request of the batch on the same budget was refused as short.
-- Locks: budgets (see move_budgets), then reservations.
-- The generic plan is forced and goes by keys: planning takes longer than running, and a plan made while the tables were
-- empty must stay right when they are full.

create or replace function reserve_budgets(asks reservation_line[], at bigint)
returns table (id text, answer text, budget text, limit_nanos bigint, spent_nanos bigint)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  -- The budgets of this batch, in the order of their keys.
  kinds text[];
  limits bigint[];
  posted bigint[];
  unreserved bigint[];
  is_over boolean;
  ask record;
  refusing bigint;
  refused text[] := '{}';
  short text[] := '{}';
  placed text[];
begin
  select array_agg(m.kind), array_agg(m.allowed), array_agg(m.posted_nanos),
    array_agg(m.allowed - m.posted_nanos - m.reserved_nanos + m.reserved_change),
    bool_or(m.posted_nanos + m.reserved_nanos > m.allowed)
  into kinds, limits, posted, unreserved, is_over
  from move_budgets(array(
    select row(a.organization_id, a.month, b.kind, b.scope_id, 0, a.amount_nanos, null)::budget_periods
    from unnest(asks) a, budgets_of(a.key_id, a.user_id, a.reserves_key, a.reserves_user) b)) m;

  if is_over then
    for ask in
      select c.id, c.amount_nanos, array_agg(c.budget order by c.rank) as budgets
      from (
        select a.ordinality, a.id, a.amount_nanos, b.rank, dense_rank() over (
          order by a.organization_id collate "C", a.month, b.kind collate "C", b.scope_id collate "C") as budget
        from unnest(asks) with ordinality a, budgets_of(a.key_id, a.user_id, a.reserves_key, a.reserves_user) b
      ) c
      group by c.ordinality, c.id, c.amount_nanos order by c.ordinality
    loop
      select b.i, case when ask.amount_nanos > limits[b.i] - posted[b.i] then 'exceeded' else 'short' end
      into refusing, answer
      from unnest(ask.budgets) with ordinality as b (i, rank)
      where ask.amount_nanos > unreserved[b.i] order by 2, b.rank limit 1;
      if refusing is null then
        for i in 1 .. cardinality(ask.budgets) loop
          unreserved[ask.budgets[i]] := unreserved[ask.budgets[i]] - ask.amount_nanos;
        end loop;
        continue;
      end if;
      if answer = 'short' then
        -- Later requests of this batch on the same budget wait behind this one.
        unreserved[refusing] := -1;
        short := short || ask.id;
      end if;
      refused := refused || ask.id;
      id := ask.id;
      budget := kinds[refusing];
      limit_nanos := limits[refusing];
      spent_nanos := posted[refusing];
      return next;
    end loop;

    -- Servers give back their allotments of an organisation that is short (see renew_allotments).
    update budget_periods p set short_at = at
    where p.kind = 'organization' and (p.organization_id, p.month) in (
      select a.organization_id, a.month from unnest(asks) a where a.id = any (short));
  end if;

  with stored as (
    insert into budget_reservations select a.* from unnest(asks) a where a.id <> all (refused)
    on conflict do nothing returning id
  ) select array(select id from stored) into placed;

  if cardinality(placed) < cardinality(asks) then
    perform move_budgets(array(
      select row(a.organization_id, a.month, b.kind, b.scope_id, 0, -a.amount_nanos, null)::budget_periods
      from unnest(asks) a, budgets_of(a.key_id, a.user_id, a.reserves_key, a.reserves_user) b
      where a.id <> all (placed)));
  end if;
end
$$;
