-- move_budgets: the only place where amounts of budgets change. Adds to posted and reserved amounts, and creates the budgets
--   that do not exist.
-- Arguments: moves (rows of budget_periods whose amounts are changes). Several moves of one budget are added up.
-- Returns: one row per budget, by key: its amounts after the move, the changes, and its limit (null: none).
-- Locks: the rows of budget_periods, ordered by their key, so that two calls never deadlock.
-- It runs with the settings of the function that calls it.

create or replace function move_budgets(moves budget_periods[])
returns table (
  organization_id text, month integer, kind text, scope_id text, posted_nanos bigint, reserved_nanos bigint,
  posted_change bigint, reserved_change bigint, allowed bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with sums as (
    select organization_id, month, kind, scope_id, sum(posted_nanos)::bigint as posted, sum(reserved_nanos)::bigint as reserved
    from unnest(moves) group by 1, 2, 3, 4
  ), moved as (
    insert into budget_periods as p (organization_id, month, kind, scope_id, posted_nanos, reserved_nanos)
    select * from sums order by 1, 2, 3, 4
    on conflict (organization_id, month, kind, scope_id) do update set
      posted_nanos = p.posted_nanos + excluded.posted_nanos, reserved_nanos = p.reserved_nanos + excluded.reserved_nanos
    returning p.*
  )
  select m.organization_id, m.month, m.kind, m.scope_id, m.posted_nanos, m.reserved_nanos, s.posted, s.reserved,
    budget_limit(m.organization_id, m.kind, m.scope_id)
  from moved m join sums s using (organization_id, month, kind, scope_id) order by 1, 2, 3, 4;
end
$$;

-- budgets_of: the budgets that an attempt counts against.
-- Arguments: key_id, user_id (null: no user), has_key, has_user (1 if the key's or the user's budget counts).
-- Returns: one row per budget, the organisation's first. Takes no locks.

create or replace function budgets_of(key_id text, user_id text, has_key integer, has_user integer)
returns table (kind text, scope_id text, rank integer)
language sql immutable as $$
  select b.kind, b.scope_id, b.rank
  from (values ('organization', '', 1, 1), ('key', key_id, 2, has_key), ('user', user_id, 3, has_user))
    as b (kind, scope_id, rank, is_counted)
  where b.is_counted = 1 and b.scope_id is not null
$$;

-- budget_limit: the monthly limit of a budget.
-- Arguments: organization, kind ('organization', 'key' or 'user'), scope (the key's or user's id, '' for the organisation).
-- Returns: nanodollars; null if the budget has no limit; 0 for an unknown organisation. Takes no locks.

create or replace function budget_limit(organization text, kind text, scope text) returns bigint
language sql stable as $$
  select case kind
    when 'organization' then coalesce((select monthly_budget_nanos from organizations where id = organization), 0)
    when 'user' then (select user_monthly_budget_nanos from organizations where id = organization)
    else (select monthly_budget_nanos from api_keys where id = scope and organization_id = organization)
  end
$$;
