-- reserve_budgets: reserves the requests of a batch that fit their budgets, in order, each all or nothing.
-- Arguments: asks, at (now, epoch ms).
-- Returns: one row per refused request. 'exceeded': the amount is above what is unspent. 'short': the amount is above
--   what is unreserved, or an earlier request of the batch on the same budget was refused as short.
-- Locks: the rows of budget_periods, ordered by their key, so that two batches never deadlock.
-- The generic plan is forced and goes by keys: planning takes longer than running, and a plan made while the tables were
-- empty must stay right when they are full.

create or replace function reserve_budgets(asks reservation_line[], at bigint)
returns table (id text, answer text, budget text, limit_nanos bigint, spent_nanos bigint)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  endless constant bigint := 9007199254740991;
  refused text[] := '{}';
  is_short boolean := false;
  taken jsonb := '{}';
  ask record;
  short_account text;
begin
  insert into budget_periods (organization_id, month, kind, scope_id)
  select c.organization_id collate "C", c.month, c.kind collate "C", c.scope_id collate "C"
  from budget_accounts(asks) c
  where not exists (
    select from budget_periods p where p.organization_id = c.organization_id and p.month = c.month
      and p.kind = c.kind and p.scope_id = c.scope_id)
  order by 1, 2, 3, 4
  on conflict do nothing;

  perform from budget_periods p
  where (p.organization_id, p.month, p.kind, p.scope_id) in (
    select c.organization_id, c.month, c.kind, c.scope_id from budget_charges(asks) c)
  order by p.organization_id, p.month, p.kind, p.scope_id for update;

  if exists (
    select from budget_accounts(asks) b join budget_periods p using (organization_id, month, kind, scope_id)
    where p.posted_nanos + p.reserved_nanos + b.wanted > b.allowed
  ) then
    for ask in
      select c.place, c.id, c.amount_nanos, array_agg(c.kind order by c.rank) as kinds,
        array_agg(jsonb_build_array(c.organization_id, c.month, c.kind, c.scope_id)::text order by c.rank) as accounts,
        array_agg(b.allowed order by c.rank) as limits, array_agg(p.posted_nanos order by c.rank) as posted,
        array_agg(p.posted_nanos + p.reserved_nanos order by c.rank) as used
      from budget_charges(asks) c
      join budget_accounts(asks) b using (organization_id, month, kind, scope_id)
      join budget_periods p using (organization_id, month, kind, scope_id)
      group by c.place, c.id, c.amount_nanos order by c.place
    loop
      answer := null;
      for i in 1 .. cardinality(ask.accounts) loop
        if ask.posted[i] + ask.amount_nanos > ask.limits[i] then
          answer := 'exceeded';
        elsif answer is null and ask.used[i] + coalesce((taken ->> ask.accounts[i])::bigint, 0) + ask.amount_nanos
            > ask.limits[i] then
          answer := 'short';
          short_account := ask.accounts[i];
        else
          continue;
        end if;
        budget := ask.kinds[i];
        limit_nanos := ask.limits[i];
        spent_nanos := ask.posted[i];
        exit when answer = 'exceeded';
      end loop;
      if answer is null then
        for i in 1 .. cardinality(ask.accounts) loop
          taken := jsonb_set(taken, array[ask.accounts[i]],
            to_jsonb(coalesce((taken ->> ask.accounts[i])::bigint, 0) + ask.amount_nanos));
        end loop;
        continue;
      end if;
      if answer = 'short' then
        -- Later requests of this batch on the same budget wait behind this one.
        taken := jsonb_set(taken, array[short_account], to_jsonb(endless));
        is_short := true;
      end if;
      id := ask.id;
      refused := refused || id;
      return next;
    end loop;
  end if;

  if is_short then
    -- Servers give back their allotments of an organisation that is short (see renew_allotments).
    update budget_periods p set short_at = at
    where p.kind = 'organization' and (p.organization_id, p.month) in (
      select c.organization_id, c.month from budget_charges(asks) c where c.id = any (refused));
  end if;

  with placed as (
    insert into budget_reservations select a.* from unnest(asks) a where a.id <> all (refused)
    on conflict do nothing returning id
  ), sums as (
    select c.organization_id, c.month, c.kind, c.scope_id, sum(c.amount_nanos) as nanos
    from budget_charges(asks) c join placed using (id) group by 1, 2, 3, 4
  )
  update budget_periods p set reserved_nanos = p.reserved_nanos + s.nanos
  from sums s
  where p.organization_id = s.organization_id and p.month = s.month and p.kind = s.kind and p.scope_id = s.scope_id;
end
$$;
