-- budget_asks: reads reservation requests from JSON.
-- Arguments: asks, an array with one array per request, its values in the order of the columns of budget_reservations.
-- Returns: one row per request; place is its position in the batch, from 1. Takes no locks.

create or replace function budget_asks(asks jsonb)
returns table (
  place bigint, id text, request_id text, attempt integer, organization_id text, key_id text, user_id text,
  category text, provider text, model text, streamed integer, amount_nanos bigint, reserves_key integer,
  reserves_user integer, month integer, expires_at bigint)
language sql immutable as $$
  select place, v ->> 0, v ->> 1, (v ->> 2)::integer, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8,
    (v ->> 9)::integer, (v ->> 10)::bigint, (v ->> 11)::integer, (v ->> 12)::integer, (v ->> 13)::integer,
    (v ->> 14)::bigint
  from jsonb_array_elements(asks) with ordinality as each (v, place)
$$;

-- budget_charges: one row per request and per budget that it is reserved from (organisation, key, user).
-- Arguments: asks, as for budget_asks. Returns: the budget's key and the amount. Takes no locks.

create or replace function budget_charges(asks jsonb)
returns table (
  place bigint, id text, organization_id text, month integer, kind text, scope_id text, amount_nanos bigint)
language sql immutable as $$
  select a.place, a.id, a.organization_id, a.month, b.kind, b.scope_id, a.amount_nanos
  from budget_asks(asks) a cross join lateral (values
    ('organization', '', 1), ('key', a.key_id, a.reserves_key), ('user', a.user_id, a.reserves_user)
  ) as b (kind, scope_id, is_reserved)
  where b.is_reserved = 1
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
