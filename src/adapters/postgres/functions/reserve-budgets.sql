-- reserve_budgets: reserves the requests of a batch that fit their budgets, in order, each all or nothing.
-- Arguments: asks (see budget_asks), at (now, epoch ms).
-- Returns: one row per refused request. 'exceeded': the amount is above what is unspent. 'short': the amount is above
--   what is unreserved, or an earlier request of the batch on the same budget was refused as short.
-- Locks: the rows of budget_periods, ordered by their key, so that two batches never deadlock.
-- The generic plan is forced and goes by keys: planning takes longer than running, and a plan made while the tables were
-- empty must stay right when they are full.

create or replace function reserve_budgets(asks jsonb, at bigint)
returns table (place bigint, answer text, budget text, limit_nanos bigint, spent_nanos bigint)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  everybody_fits boolean;
  refused bigint[] := '{}';
  ask record;
  taken jsonb := '{}';
  lines jsonb := '{}';
  short_at_account integer;
begin
  insert into budget_periods (organization_id, month, kind, scope_id)
  select distinct c.organization_id collate "C", c.month, c.kind collate "C", c.scope_id collate "C"
  from budget_charges(asks) c
  where not exists (
    select from budget_periods p where p.organization_id = c.organization_id and p.month = c.month
      and p.kind = c.kind and p.scope_id = c.scope_id)
  order by 1, 2, 3, 4
  on conflict do nothing;

  perform from budget_periods p
  where (p.organization_id, p.month, p.kind, p.scope_id) in (
    select c.organization_id, c.month, c.kind, c.scope_id from budget_charges(asks) c)
  order by p.organization_id, p.month, p.kind, p.scope_id for update;

  select bool_and(p.posted_nanos + p.reserved_nanos + w.wanted
    <= coalesce(budget_limit(w.organization_id, w.kind, w.scope_id), 9007199254740991))
  into everybody_fits
  from (
    select c.organization_id, c.month, c.kind, c.scope_id, sum(c.amount_nanos) as wanted
    from budget_charges(asks) c group by 1, 2, 3, 4
  ) w join budget_periods p using (organization_id, month, kind, scope_id);

  if not everybody_fits then
    for ask in
      select s.place, s.amount_nanos, array_agg(s.account order by s.kind = 'user', s.kind = 'key') as accounts,
        array_agg(s.kind order by s.kind = 'user', s.kind = 'key') as kinds,
        array_agg(s.allowed order by s.kind = 'user', s.kind = 'key') as limits,
        array_agg(s.posted_nanos order by s.kind = 'user', s.kind = 'key') as posted,
        array_agg(s.reserved_nanos order by s.kind = 'user', s.kind = 'key') as reserved
      from (
        select c.place, c.amount_nanos, c.kind, p.posted_nanos, p.reserved_nanos,
          jsonb_build_array(c.organization_id, c.month, c.kind, c.scope_id)::text as account,
          coalesce(l.allowed, 9007199254740991) as allowed
        from budget_charges(asks) c
        join budget_periods p using (organization_id, month, kind, scope_id)
        join (
          select d.organization_id, d.month, d.kind, d.scope_id,
            budget_limit(d.organization_id, d.kind, d.scope_id) as allowed
          from (select distinct organization_id, month, kind, scope_id from budget_charges(asks)) d
        ) l using (organization_id, month, kind, scope_id)
      ) s
      group by s.place, s.amount_nanos order by s.place
    loop
      answer := 'reserved';
      for i in 1 .. cardinality(ask.accounts) loop
        if ask.posted[i] + ask.amount_nanos > ask.limits[i] then
          answer := 'exceeded';
          budget := ask.kinds[i];
          limit_nanos := ask.limits[i];
          spent_nanos := ask.posted[i];
          exit;
        end if;
        if answer = 'reserved' and (lines ? ask.accounts[i] or ask.posted[i] + ask.reserved[i]
            + coalesce((taken ->> ask.accounts[i])::bigint, 0) + ask.amount_nanos > ask.limits[i]) then
          answer := 'short';
          short_at_account := i;
          budget := ask.kinds[i];
          limit_nanos := ask.limits[i];
          spent_nanos := ask.posted[i];
        end if;
      end loop;
      if answer = 'reserved' then
        for i in 1 .. cardinality(ask.accounts) loop
          taken := jsonb_set(taken, array[ask.accounts[i]],
            to_jsonb(coalesce((taken ->> ask.accounts[i])::bigint, 0) + ask.amount_nanos));
        end loop;
      else
        refused := refused || ask.place;
        if answer = 'short' then
          lines := jsonb_set(lines, array[ask.accounts[short_at_account]], 'true');
        end if;
        place := ask.place;
        return next;
      end if;
    end loop;
    -- Servers give back their allotments of an organisation that is short (see renew_allotments).
    update budget_periods p set short_at = at
    where lines <> '{}' and p.kind = 'organization' and (p.organization_id, p.month) in (
      select c.organization_id, c.month from budget_charges(asks) c where c.place = any (refused));
  end if;

  with placed as (
    insert into budget_reservations (
      id, request_id, attempt, organization_id, key_id, user_id, category, provider, model, streamed, amount_nanos,
      reserves_key, reserves_user, month, expires_at)
    select a.id, a.request_id, a.attempt, a.organization_id, a.key_id, a.user_id, a.category, a.provider, a.model,
      a.streamed, a.amount_nanos, a.reserves_key, a.reserves_user, a.month, a.expires_at
    from budget_asks(asks) a where a.place <> all (refused)
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
