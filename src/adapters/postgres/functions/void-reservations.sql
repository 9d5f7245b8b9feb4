-- void_reservations: inserts a tombstone (is_void = 1, amount 0) under the id of each reservation that has ended, so that a
--   reserve_budgets statement that arrives later, from the buffer of a frozen server, conflicts and reserves nothing.
-- Arguments: voided (see budget_asks), at (now, epoch ms). A tombstone is kept for a day.
-- Returns: the reservations that had been stored before their tombstone, or null; the caller releases their amounts.
-- Locks: rows of budget_reservations, ordered by id. It may deadlock with a reserve_budgets of the same ids;
--   PostgreSQL then fails one of the two, and only the void is sent again.

create or replace function void_reservations(voided jsonb, at bigint) returns budget_reservations[]
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
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
$$;
