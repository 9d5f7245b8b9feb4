-- budget_charges: one row per requested reservation and per budget that it counts against (organisation, key, user).
-- Arguments: asks. Returns: place (the request's position), the budget's key, its rank and the amount. Takes no locks.

create or replace function budget_charges(asks reservation_line[])
returns table (
  place bigint, id text, organization_id text, month integer, kind text, scope_id text, rank integer,
  amount_nanos bigint)
language sql immutable as $$
  select a.ordinality, a.id, a.organization_id, a.month, b.kind, b.scope_id, b.rank, a.amount_nanos
  from unnest(asks) with ordinality as a cross join lateral (values
    ('organization', '', 1, 1), ('key', a.key_id, 2, a.reserves_key), ('user', a.user_id, 3, a.reserves_user)
  ) as b (kind, scope_id, rank, is_reserved)
  where b.is_reserved = 1
$$;

-- budget_accounts: the budgets that a batch of requests counts against, each with the sum that is wanted and its limit.
-- Arguments: asks. Returns: the budget's key, wanted and allowed (a very large number if it has no limit). Takes no locks.

create or replace function budget_accounts(asks reservation_line[])
returns table (organization_id text, month integer, kind text, scope_id text, wanted numeric, allowed bigint)
language sql stable as $$
  select organization_id, month, kind, scope_id, sum(amount_nanos),
    coalesce(budget_limit(organization_id, kind, scope_id), 9007199254740991)
  from budget_charges(asks) group by 1, 2, 3, 4
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
