// The decisions about budgets that PostgreSQL makes by itself, each one round trip for a whole batch. Locks are always
// taken in the same order (reservations, usage records, roll-ups, then budgets by their key), so that servers wait for one
// another but never for ever. Each statement in them sees what was committed before it, also while it waited.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

export async function budgetFunctions(db: Kysely<Schema>): Promise<void> {
  for (const text of [
    USAGE_LINE,
    ASKS,
    CHARGES,
    LIMIT,
    RESERVE,
    VOID,
    STORE,
    LOSE,
    RESERVES,
    RENEW,
    EXPIRE,
  ])
    await sql.raw(text).execute(db);
}

/**
 * Planning takes longer than running. The plan that is kept goes by keys whatever the sizes of tables, so that one made
 * when they were empty is right when they are full.
 */
const KEPT_PLAN = 'set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off';

/** A usage record on its way in; of its own, because the table may get further columns. */
const USAGE_LINE = `
create type usage_line as (
  id text, request_id text, attempt bigint, organization_id text, key_id text, user_id text, provider text, model text,
  input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cache_write_1h_tokens bigint, reasoning_tokens bigint, cost_nanos bigint, category text, latency_ms bigint,
  status text, streamed bigint, estimated bigint, created_at bigint, budget_month integer)`;

/** Reservations as arrays of values, in the order of the table's columns. */
const ASKS = `
create function budget_asks(asks jsonb)
returns table (
  place bigint, id text, request_id text, attempt integer, organization_id text, key_id text, user_id text,
  category text, provider text, model text, streamed integer, amount_nanos bigint, reserves_key integer,
  reserves_user integer, month integer, expires_at bigint)
language sql immutable as $$
  select place, v ->> 0, v ->> 1, (v ->> 2)::integer, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8,
    (v ->> 9)::integer, (v ->> 10)::bigint, (v ->> 11)::integer, (v ->> 12)::integer, (v ->> 13)::integer,
    (v ->> 14)::bigint
  from jsonb_array_elements(asks) with ordinality as each (v, place)
$$`;

/** Each ask against each budget that it is reserved from. */
const CHARGES = `
create function budget_charges(asks jsonb)
returns table (
  place bigint, id text, organization_id text, month integer, kind text, scope_id text, amount_nanos bigint)
language sql immutable as $$
  select a.place, a.id, a.organization_id, a.month, b.kind, b.scope_id, a.amount_nanos
  from budget_asks(asks) a cross join lateral (values
    ('organization', '', 1), ('key', a.key_id, a.reserves_key), ('user', a.user_id, a.reserves_user)
  ) as b (kind, scope_id, is_reserved)
  where b.is_reserved = 1
$$`;

/** What a budget allows now; null where there is none. */
const LIMIT = `
create function budget_limit(organization text, kind text, scope text) returns bigint
language sql stable as $$
  select case kind
    when 'organization' then coalesce((select monthly_budget_nanos from organizations where id = organization), 0)
    when 'user' then (select user_monthly_budget_nanos from organizations where id = organization)
    else (select monthly_budget_nanos from api_keys where id = scope and organization_id = organization)
  end
$$`;

/**
 * Reservations what fits, in the order asked, each ask all or nothing, and returns only those that are not reserved: 'exceeded'
 * does not fit what is unspent, 'short' does not fit what is unreserved or stands behind one that does not.
 */
const RESERVE = `
create function reserve_budgets(asks jsonb, at bigint)
returns table (place bigint, answer text, budget text, limit_nanos bigint, spent_nanos bigint)
language plpgsql ${KEPT_PLAN} as $body$
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
    -- Whoever has set money aside for bad times is to give it back.
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
$body$`;

/**
 * Takes the places of reservations that have ended, for nothing, so that a statement which asked for one and comes late (from
 * the buffer of a server that stood still, say) finds it taken. Returns those that it came too late for. Where both
 * want the same budget at the same moment they may block each other: one of them fails then, and only this comes again.
 */
const VOID = `
create function void_reservations(voided jsonb, at bigint) returns budget_reservations[]
language plpgsql ${KEPT_PLAN} as $body$
declare
  kept_until constant bigint := at + 86400000;
  late budget_reservations[];
begin
  insert into budget_reservations (
    id, request_id, attempt, organization_id, key_id, user_id, category, provider, model, streamed, amount_nanos,
    reserves_key, reserves_user, month, expires_at, is_void)
  select a.id, a.request_id, a.attempt, a.organization_id, a.key_id, a.user_id, a.category, a.provider, a.model,
    a.streamed, 0, a.reserves_key, a.reserves_user, a.month, kept_until, 1
  from budget_asks(voided) a order by a.id collate "C"
  on conflict do nothing;

  with found as (
    select h from budget_reservations h where h.id in (select a.id from budget_asks(voided) a) and h.is_void = 0 for update
  ) select array_agg(h) into late from found;

  update budget_reservations h set amount_nanos = 0, expires_at = kept_until, is_void = 1
  where h.id in (select a.id from budget_asks(voided) a) and h.is_void = 0;
  return late;
end
$body$`;

/**
 * Takes in usage: each record once, or in place of the estimate made when its attempt was given up; their sums; what
 * they cost in place of what was reserved for them. `opened` are reservations that a server made by itself, `closed` attempts
 * that were never made and leases that are over, `voided` such of which a reservation may still come; an estimate made for one
 * of these is taken back. Returns how many records were new and which thresholds of budgets were passed by them.
 */
const STORE = `
create function store_usage(lines usage_line[], opened jsonb, closed text[], voided jsonb, at bigint)
returns table (stored bigint, crossed jsonb)
language plpgsql ${KEPT_PLAN} as $body$
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
$body$`;

/** Settles reservations that have expired as if all of them had been spent. Whoever is at it already is left alone. */
const LOSE = `
create function lose_reservations(at bigint, most integer)
returns table (stored bigint, crossed jsonb)
language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  lines usage_line[];
begin
  delete from budget_reservations where expires_at <= at and is_void = 1;
  select array_agg(row(
    h.id, h.request_id, h.attempt, h.organization_id, h.key_id, h.user_id, h.provider, h.model, 0, 0, 0, 0, 0, 0,
    h.amount_nanos, h.category, 0, 'LOST', h.streamed, 1, at, h.month)::usage_line)
  into lines from (
    select * from budget_reservations where expires_at <= at and is_void = 0 order by expires_at limit most for update skip locked
  ) h;
  if lines is null then
    return query select 0::bigint, null::jsonb;
  else
    return query select s.stored, s.crossed from store_usage(lines, '[]', '{}', '[]', at) s;
  end if;
end
$body$`;

/**
 * What a server has set aside and what it should have: a fiftieth of the limit, a tenth of what is unreserved at most, and
 * nothing where somebody was short in the last minute. A little more or less is left as it is.
 */
const RESERVES = `
create function budget_reserve_wishes(server text, wishes jsonb, at bigint)
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
    full join (select * from budget_reserves where server_id = server) r using (organization_id, month, kind, scope_id)
    join budget_periods p using (organization_id, month, kind, scope_id)
    join budget_periods o on o.organization_id = p.organization_id and o.month = p.month and o.kind = 'organization'
    cross join lateral (select budget_limit(p.organization_id, p.kind, p.scope_id) as allowed) l
  ) s
$$`;

/** Brings a server's reserves to what they should be and gives them. A beat that changes nothing writes nothing. */
const RENEW = `
create function renew_reserves(server text, wishes jsonb, at bigint, until bigint)
returns table (organization_id text, month integer, kind text, scope_id text, amount_nanos bigint)
language plpgsql ${KEPT_PLAN} as $body$
#variable_conflict use_column
declare
  each record;
begin
  perform from budget_reserves r where r.server_id = server
  order by r.organization_id, r.month, r.kind, r.scope_id for update;
  for each in
    select w.organization_id, w.month, w.kind, w.scope_id
    from budget_reserve_wishes(server, wishes, at) w
    where w.had <> w.wanted or w.had > 0 and w.expires_at < until - (until - at) / 10
    order by w.organization_id collate "C", w.month, w.kind collate "C", w.scope_id collate "C"
  loop
    perform from budget_periods p where p.organization_id = each.organization_id and p.month = each.month
      and p.kind = each.kind and p.scope_id = each.scope_id for update;
    with wish as (
      select w.had, w.wanted from budget_reserve_wishes(server, wishes, at) w
      where w.organization_id = each.organization_id and w.month = each.month and w.kind = each.kind
        and w.scope_id = each.scope_id
    ), kept as (
      insert into budget_reserves as r (server_id, organization_id, month, kind, scope_id, amount_nanos, expires_at)
      select server, each.organization_id, each.month, each.kind, each.scope_id, wish.wanted, until from wish
      on conflict (server_id, organization_id, month, kind, scope_id)
      do update set amount_nanos = excluded.amount_nanos, expires_at = excluded.expires_at
    )
    update budget_periods p set reserved_nanos = p.reserved_nanos + wish.wanted - wish.had from wish
    where p.organization_id = each.organization_id and p.month = each.month and p.kind = each.kind
      and p.scope_id = each.scope_id and wish.wanted <> wish.had;
  end loop;
  delete from budget_reserves r where r.server_id = server and r.amount_nanos = 0;
  return query select r.organization_id, r.month, r.kind, r.scope_id, r.amount_nanos
    from budget_reserves r where r.server_id = server;
end
$body$`;

/** What servers that are gone had set aside is free again. */
const EXPIRE = `
create function expire_reserves(at bigint) returns void
language plpgsql ${KEPT_PLAN} as $body$
begin
  with gone as (
    delete from budget_reserves r using (
      select server_id, organization_id, month, kind, scope_id from budget_reserves where expires_at <= at
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
$body$`;
