-- The row types in which a server passes records to the functions below. Their fields are the first columns of the tables
-- usage_records and budget_reservations, in order, so that `insert into … select line.*` needs no list of columns. Types of
-- their own, so that a column added to a table does not change a function's signature.

create type usage_line as (
  id text, request_id text, attempt bigint, organization_id text, key_id text, user_id text, provider text, model text,
  input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cache_write_1h_tokens bigint, reasoning_tokens bigint, cost_nanos bigint, category text, latency_ms bigint,
  status text, streamed bigint, estimated bigint, created_at bigint, budget_month integer,
  first_content_ms bigint
);

create type reservation_line as (
  id text, request_id text, attempt integer, organization_id text, key_id text, user_id text, category text,
  provider text, model text, streamed integer, amount_nanos bigint, reserves_key integer, reserves_user integer,
  month integer, expires_at bigint
);

-- What a server asks of one of its allotments (see renew_allotments).
create type allotment_line as (
  id text, organization_id text, month integer, kind text, scope_id text, purpose text, floor_nanos bigint,
  wanted_nanos bigint, expires_at bigint
);
