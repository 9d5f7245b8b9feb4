-- publish_unordered: puts messages on queues without a turn of their own. The row of a tenant's queue would be locked until
--   the commit; a message that needs no turn gets the queue's current head tag and waits for no lock.
-- Arguments: written (ids of jobs just inserted or updated), messages (of other jobs are skipped), long_texts (bodies).
-- Locks: none beyond the inserted rows. A message whose id is on the queue already is skipped.

create or replace function publish_unordered(written text[], messages job_message[], long_texts text[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  insert into queue_messages (queue, id, body, tenant, priority, tag, status, visible_at, deliveries, published_at)
  select to_queue, message_id, long_texts[text_at], to_tenant, urgency,
    coalesce((select head_tag from queue_heads where queue_heads.queue = to_queue), 0),
    in_status, seen_at, 0, put_at
  from unnest(messages) as message
  where for_job = any(written)
  on conflict (queue, id) do nothing;
end
$$;

-- publish_in_turn: puts messages on queues, each with the next tag of its tenant, so that tenants are served in turn.
-- Arguments: as for publish_unordered.
-- Locks: the tenant's row of each queue until the commit, in the order of queues and tenants, so that two writers never
--   deadlock. A tenant takes a row of consecutive tags for all its messages of the batch.

create or replace function publish_in_turn(written text[], messages job_message[], long_texts text[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  with in_turn as (
    select to_queue, message_id, long_texts[text_at] as body, to_tenant, urgency, in_status, seen_at, put_at,
      row_number() over (partition by to_queue, to_tenant order by place) as nth
    from unnest(messages) as message
    where for_job = any(written)
  ), demand as (
    select to_queue, to_tenant, max(nth) as turns,
      coalesce((select head_tag from queue_heads where queue_heads.queue = to_queue), 0) as head
    from in_turn group by to_queue, to_tenant order by to_queue, to_tenant
  ), turn as (
    insert into tenant_queues as known (queue, tenant, last_tag)
    select to_queue, to_tenant, head + turns - 1 from demand
    on conflict (queue, tenant) do update set last_tag = (
      select greatest(known.last_tag + 1, head) + turns - 1 from demand
      where to_queue = excluded.queue and to_tenant = excluded.tenant)
    returning queue, tenant, last_tag
  )
  insert into queue_messages (queue, id, body, tenant, priority, tag, status, visible_at, deliveries, published_at)
  select to_queue, message_id, body, to_tenant, urgency, last_tag - turns + nth, in_status, seen_at, 0, put_at
  from in_turn join demand using (to_queue, to_tenant) join turn on queue = to_queue and tenant = to_tenant
  on conflict (queue, id) do nothing;
end
$$;
