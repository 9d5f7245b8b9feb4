-- The row type in which a server passes usage records to store_usage, one field per column of usage_records.
-- A type of its own, so that a column added to the table does not change the function's signature.

create type usage_line as (
  id text, request_id text, attempt bigint, organization_id text, key_id text, user_id text, provider text, model text,
  input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cache_write_1h_tokens bigint, reasoning_tokens bigint, cost_nanos bigint, category text, latency_ms bigint,
  status text, streamed bigint, estimated bigint, created_at bigint, budget_month integer
);
