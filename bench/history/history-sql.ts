// The statements that fill a store with history: organisations, usage records with their roll-ups, jobs with events and
// attempts, dead letters and samples. The rows are generated inside the store, because ten million take hours over any
// API. Both stores run the same statements except for the functions in `SqlWords`.

export type History = { readonly usageRecords: number; readonly jobs: number };

/** The SQL functions that differ between the two stores. */
export type SqlWords = {
  /** A common table expression `n(i)` with the numbers from `from` on. */
  readonly numbers: (from: number, rows: number) => string;
  /** The number `i` with 24 digits, so that texts sort as numbers do. */
  readonly padded: string;
};

export const SQLITE_WORDS: SqlWords = {
  numbers: (from, rows) =>
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${from + rows})`,
  padded: `printf('%024d', i)`,
};

export const POSTGRES_WORDS: SqlWords = {
  numbers: (from, rows) =>
    `with n(i) as (select generate_series(cast(${from} as bigint), ${from + rows - 1}))`,
  padded: `lpad(cast(i as text), 24, '0')`,
};

export const ORGANIZATIONS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Shorter than the retention of jobs, so that nothing is pruned during the row. */
const SPAN_MS = 28 * DAY_MS;
/** The rows that one statement inserts: the fill reports its progress between statements. */
const BATCH = 500_000;

type Statement = { readonly what: string; readonly text: string };

/** `month` is the number of the current month, in which all organisations have spent money. */
export function* historyStatements(
  words: SqlWords,
  { usageRecords, jobs }: History,
  now: number,
  month: number,
): Generator<Statement> {
  const begin = now - SPAN_MS;
  yield { what: 'organisations', text: organizationSql(words, now, month) };
  for (const { from, rows } of batches(usageRecords)) {
    const times = { begin, stepMs: SPAN_MS / usageRecords };
    yield {
      what: `${from} of ${usageRecords} usage records`,
      text: usageSql(words, from, rows, times),
    };
    yield { what: 'roll-ups', text: rollupSql(words, from, rows, times) };
  }
  yield { what: 'hours', text: HOURS_SQL };
  for (const { from, rows } of batches(jobs)) {
    const times = { begin, stepMs: SPAN_MS / jobs };
    yield { what: `${from} of ${jobs} jobs`, text: jobSql(words, from, rows, times, now) };
  }
  yield { what: 'samples', text: sampleSql(words, now - (now % 60_000)) };
}

function* batches(total: number): Generator<{ readonly from: number; readonly rows: number }> {
  for (let from = 0; from < total; from += BATCH)
    yield { from, rows: Math.min(BATCH, total - from) };
}

type Times = { readonly begin: number; readonly stepMs: number };

function organizationSql({ numbers }: SqlWords, now: number, month: number): string {
  const all = numbers(0, ORGANIZATIONS);
  return `${all} insert into organizations (id, name, monthly_budget_nanos, requests_per_minute, time_zone, messages,
      allow_stale, allow_prompt_preview, created_at, updated_at)
    select 'org-' || i, 'Organisation ' || i, 100000000000, 100, 'UTC', '{}', 0, 0, ${now}, ${now} from n;
  ${all} insert into api_keys (id, organization_id, name, hash, prefix, scopes, diagnostics, created_at)
    select 'key-' || i, 'org-' || i, 'bench', 'bench-hash-' || i, 'sk-bench', '["call"]', 0, ${now} from n;
  ${all} insert into budget_periods (organization_id, month, kind, scope_id, posted_nanos, reserved_nanos)
    select 'org-' || i, ${month}, 'organization', 'org-' || i, 10000000 * i, 0 from n`;
}

function usageSql(words: SqlWords, from: number, rows: number, { begin, stepMs }: Times): string {
  return `${words.numbers(from, rows)}
    insert into usage_records (id, request_id, attempt, organization_id, key_id, user_id, provider, model, input_tokens,
      output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens, cost_nanos, category,
      latency_ms, status, streamed, estimated, created_at, budget_month)
    select 'req_' || ${words.padded} || '.1', 'req_' || ${words.padded}, 1, 'org-' || (i % ${ORGANIZATIONS}),
      'key-' || (i % ${ORGANIZATIONS}), null, 'anthropic', 'model-' || (i % 5), 100, 200, 0, 0, 0, 0, 1000000, null, 900,
      case when i % 97 = 0 then 'PROVIDER_UNAVAILABLE' else 'OK' end, 0, 0, cast(${begin} + i * ${stepMs} as bigint), null
    from n`;
}

/** The sums of one batch; an hour that two batches share is summed from both. */
function rollupSql(words: SqlWords, from: number, rows: number, { begin, stepMs }: Times): string {
  return `${words.numbers(from, rows)}
    insert into usage_rollups (organization_id, hour_start, key_id, user_id, provider, model, category, attempts, failures,
      input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos)
    select 'org-' || owner, hour * ${HOUR_MS}, 'key-' || owner, '', 'anthropic', 'model-' || (owner % 5), '', count(*),
      sum(failed), 100 * count(*), 200 * count(*), 0, 0, 1000000 * count(*)
    from (select i % ${ORGANIZATIONS} as owner, cast(${begin} + i * ${stepMs} as bigint) / ${HOUR_MS} as hour,
      case when i % 97 = 0 then 1 else 0 end as failed from n) as records
    group by owner, hour
    on conflict (organization_id, hour_start, provider, model, user_id, category, key_id) do update set
      attempts = usage_rollups.attempts + excluded.attempts, failures = usage_rollups.failures + excluded.failures,
      input_tokens = usage_rollups.input_tokens + excluded.input_tokens,
      output_tokens = usage_rollups.output_tokens + excluded.output_tokens,
      cost_nanos = usage_rollups.cost_nanos + excluded.cost_nanos`;
}

const HOURS_SQL = `insert into usage_hours (hour_start, provider, model, attempts, cost_nanos)
  select hour_start, provider, model, sum(attempts), sum(cost_nanos) from usage_rollups group by 1, 2, 3`;

/** Of a hundred jobs one waits for tomorrow and two have failed; a failed job is a dead letter. */
function jobSql(
  words: SqlWords,
  from: number,
  rows: number,
  { begin, stepMs }: Times,
  now: number,
): string {
  const numbers = words.numbers(from, rows);
  const id = `'job_' || ${words.padded}`;
  const at = `cast(${begin} + i * ${stepMs} as bigint)`;
  const ended = 'where i % 100 <> 7';
  return `${numbers} insert into jobs (id, organization_id, public_id, origin, state, fence, run, attempts, losses,
      event_count, priority, queue, run_at, published_at, created_at, updated_at, started_at, finished_at)
    select ${id}, 'org-' || (i % ${ORGANIZATIONS}), 'public-' || i, 'http',
      case when i % 50 = 0 then 'failed' when i % 100 = 7 then 'delayed' else 'succeeded' end, 3, 1, 1, 0, 3, 5,
      'anthropic-analysis-queue', case when i % 100 = 7 then ${now + DAY_MS} + i else ${at} end, ${at}, ${at}, ${at} + 1000,
      ${at}, case when i % 100 = 7 then null else ${at} + 1000 end from n;
  ${numbers} insert into job_events (job_id, sequence, type, data, created_at)
    select ${id}, step, case step when 1 then 'queued' when 2 then 'running' else 'succeeded' end, null, ${at} + step
    from n cross join (select 1 as step union all select 2 union all select 3) as steps ${ended};
  ${numbers} insert into job_attempts (job_id, run, attempt, provider, model, worker_id, outcome, started_at, finished_at)
    select ${id}, 1, 1, 'anthropic', 'model-' || (i % 5), 'worker', 'succeeded', ${at}, ${at} + 1000 from n ${ended};
  ${numbers} insert into dead_letters (id, job_id, organization_id, queue, body, error_code, error_message, attempts,
      created_at)
    select ${id}, ${id}, 'org-' || (i % ${ORGANIZATIONS}), 'anthropic-analysis-queue', '{"prompt":"Hello"}',
      'PROVIDER_UNAVAILABLE', 'the provider answered 500', 4, ${at} + 1000 from n where i % 50 = 0`;
}

/** A week of minutes of three sources, in every resolution. */
function sampleSql({ numbers }: SqlWords, now: number): string {
  const bins = Array.from({ length: 14 }, (_, bin) => `bin_${bin}`).join(', ');
  return [60_000, 300_000, 1_800_000]
    .map((step) => {
      const count = Math.floor((7 * DAY_MS) / step);
      const begin = now - (now % step) - count * step;
      return `${numbers(0, count * 3)}
        insert into series_samples (resolution_ms, starts_at, source, requests, input_tokens, output_tokens, cost_nanos,
          retries, rate_limited, jobs_in, jobs_out, jobs_failed, jobs_delayed, ${bins})
        select ${step}, ${begin} + (i / 3) * ${step}, 'server-' || (i % 3), 100, 1, 1, 1, 1, 1, 1, 1, 1, 1,
          ${Array.from({ length: 14 }, () => '7').join(', ')} from n`;
    })
    .join(';');
}
