// The one table of settings. The loader, `spillway config`, docs/configuration.md and .env.example are all
// made from it, and so is the type `Config`.
//
// To add a setting, add one row to its section:
//
//   key: setting('VARIABLE' or FILE_ONLY, kind, default, 'One sentence.'),
//   key: optional('VARIABLE' or FILE_ONLY, kind, 'what happens when it is not set', 'One sentence.'),
//
// then run `node src/config/write-docs.ts`. A new section is a new object here and a line in SECTION_ABOUT.
// What is a map of names in the file (providers, aliases, models) has its rows in named-settings.ts; a rule
// that concerns two settings goes to rules.ts. Add a setting together with the code that reads it: one that
// nobody reads is a lie to the operator.

import { z } from 'zod';
import { LOG_LEVELS } from '../../kernel/log.ts';
import { EMPTY_MAP } from '../lookup.ts';
import {
  boolean,
  choice,
  decimal,
  headerSecret,
  host,
  integer,
  type Kind,
  name,
  secret,
  text,
} from './kind.ts';
import { list, mapOf, weights } from './kind-list.ts';
import { duration, size } from './kind-unit.ts';
import { publicUrl, secretUrl, serviceUrl } from './kind-url.ts';
import type { Rows } from './setting.ts';
import { FILE_ONLY, optional, setting } from './setting.ts';

export const SELECTION_STRATEGIES = [
  'FIXED',
  'ROUND_ROBIN',
  'WEIGHTED',
  'COST_OPTIMIZED',
  'QUALITY_FIRST',
  'LEAST_LOADED',
  'MESSAGE_BASED',
] as const;
export const MID_STREAM = ['error', 'restart'] as const;

export const queueName = text(
  /^(?!amq\.)[A-Za-z0-9_.:-]{1,200}$/,
  '1 to 200 letters, digits, dots, colons, dashes or underscores, not beginning with amq',
);

const providerMetadata = mapOf(
  z.strictObject({ cost: z.number().min(0).optional(), quality: z.number().min(0).optional() }),
  'a map of providers to cost and quality, such as {"gemini":{"cost":1,"quality":7}}',
);

const usd = z.number().min(0).max(10_000);
const step = {
  inputUsd: usd,
  outputUsd: usd,
  cacheReadUsd: usd.optional(),
  cacheWriteUsd: usd.optional(),
  cacheWrite1hUsd: usd.optional(),
};
const priceSchema = z.strictObject({
  ...step,
  longContext: z.strictObject({ ...step, aboveTokens: z.int().min(1) }).optional(),
});
const PRICE = 'inputUsd and outputUsd per million tokens, such as { inputUsd: 3, outputUsd: 15 }';
const price: Kind<z.infer<typeof priceSchema>> = {
  schema: priceSchema,
  allowed: PRICE,
  write: (value) => JSON.stringify(value),
};
const prices = mapOf(priceSchema, `a map of models to ${PRICE}`);

const routeSizes = mapOf(
  size(1).schema,
  'a map of paths to sizes, such as { /v1/embeddings: 1MiB }',
);

export const SETTINGS = {
  server: {
    host: setting('HOST', host, '127.0.0.1', 'The address to listen on.'),
    port: setting(
      'PORT',
      integer(0, 65_535),
      8787,
      'The port to listen on; 0 takes a free one. A dispatcher or worker listens only when it is set.',
    ),
    bodyLimitBytes: setting(
      FILE_ONLY,
      size(1024, 2 ** 30),
      32 * 2 ** 20,
      'The largest request body; beyond it REQUEST_TOO_LARGE.',
    ),
    routeBodyLimitBytes: setting(
      FILE_ONLY,
      routeSizes,
      EMPTY_MAP,
      'Other limits for single routes, by path.',
    ),
    drainTimeoutMs: setting(
      FILE_ONLY,
      duration(0),
      120_000,
      'How long streams may go on after a signal to stop.',
    ),
    headersTimeoutMs: setting(
      FILE_ONLY,
      duration(1000),
      60_000,
      "How long a caller may take to send a request's headers.",
    ),
    requestTimeoutMs: setting(
      FILE_ONLY,
      duration(1000),
      300_000,
      'How long a caller may take to send a whole request.',
    ),
    keepAliveTimeoutMs: setting(
      FILE_ONLY,
      duration(0),
      72_000,
      "How long an idle connection is kept; longer than the load balancer's own.",
    ),
  },
  log: {
    level: setting('LOG_LEVEL', choice(LOG_LEVELS), 'info', 'The least important level written.'),
    redisEnabled: setting(
      'ENABLE_REDIS_LOGGING',
      boolean,
      false,
      'Keeps the last log entries of all servers in Redis for the dashboard.',
    ),
    maxRedisEntries: setting(
      'MAX_REDIS_LOG_ENTRIES',
      integer(1, 1_000_000),
      1000,
      'How many log entries are kept in Redis.',
    ),
  },
  auth: {
    adminKey: optional(
      'SPILLWAY_ADMIN_KEY',
      headerSecret,
      'made at first start and kept in the data folder; required with `DATABASE_URL`',
      'The key of the admin API and the dashboard.',
    ),
    apiKey: optional(
      'SPILLWAY_API_KEY',
      secret(20),
      'made at first start on embedded storage',
      'A key for the organisation `default` with all scopes; never stored.',
    ),
    hashKey: optional(
      'SPILLWAY_HASH_KEY',
      secret(),
      'made once and kept in the store',
      'The key under which stored API keys are hashed; the same on every server.',
    ),
  },
  storage: {
    dataDir: setting(
      'SPILLWAY_DATA_DIR',
      text(),
      '.spillway',
      'The folder for the embedded store, the journal and generated keys.',
    ),
    databaseUrl: optional(
      'DATABASE_URL',
      serviceUrl('postgres', 'postgresql'),
      'SQLite in the data folder',
      'PostgreSQL, the durable store of a cluster.',
    ),
    redisUrl: optional(
      'REDIS_URL',
      serviceUrl('redis', 'rediss'),
      'limits, breakers and logs stay in the process',
      'Redis, the shared state of a cluster.',
    ),
    rabbitmqUrl: optional(
      'RABBITMQ_URL',
      serviceUrl('amqp', 'amqps'),
      'queues on the durable store',
      'RabbitMQ, for queues that other systems share.',
    ),
    migrateOnStart: setting(
      'MIGRATE_ON_START',
      boolean,
      false,
      'Runs pending migrations of PostgreSQL at start; embedded storage always does.',
    ),
    redisKeyPrefix: setting(
      'REDIS_KEY_PREFIX',
      text(/^\S{1,100}$/, '1 to 100 characters without spaces'),
      'spillway:',
      'What the names of our limiter keys in Redis begin with.',
    ),
    redisTtlSeconds: setting(
      'REDIS_TTL',
      integer(1, 86_400),
      120,
      'How long an unused limiter key stays in Redis, in seconds.',
    ),
  },
  cluster: {
    serverId: optional(
      'SERVER_ID',
      name,
      'made once and kept in the data folder',
      'The name of this server in the cluster.',
    ),
    serverUrl: optional(
      'SERVER_URL',
      publicUrl(),
      'the host and port it listens on',
      'The address at which other servers reach this one.',
    ),
    region: setting('SERVER_REGION', name, 'us-east', 'The region this server runs in.'),
    priority: setting(
      'SERVER_PRIORITY',
      integer(0, 1_000_000),
      100,
      'Lower is preferred when a request is routed to a server.',
    ),
    maxConcurrentBuilds: setting(
      'MAX_CONCURRENT_BUILDS',
      integer(1, 1_000_000),
      1000,
      'How many requests this server works on at once.',
    ),
    interServerSecrets: optional(
      'INTER_SERVER_SECRET',
      list(secret(32, 'bytes'), { max: 2 }),
      'no routing between servers',
      'What calls between servers are signed with; two while rotating, the first one signs.',
    ),
    routingEnabled: setting(
      'ENABLE_MULTI_SERVER_ROUTING',
      boolean,
      false,
      'Hands requests this server cannot serve to one that can.',
    ),
  },
  dispatcher: {
    id: setting('DISPATCHER_ID', name, 'dispatcher-001', 'The name of this dispatcher in logs.'),
    strategy: setting(
      'PROVIDER_SELECTION_STRATEGY',
      choice(SELECTION_STRATEGIES),
      'FIXED',
      'How a provider is chosen for a message of the raw queue.',
    ),
    fixedProvider: setting(
      'PROVIDER_FIXED',
      name,
      'openai',
      'The provider of the strategy FIXED, and of a worker started without `--provider`.',
    ),
    availableProviders: optional(
      'AVAILABLE_PROVIDERS',
      list(name),
      'all that have a key',
      'The providers that a strategy may choose from.',
    ),
    priorityOrder: setting(
      'PROVIDER_PRIORITY_ORDER',
      list(name),
      [],
      'The order for COST_OPTIMIZED and MESSAGE_BASED; also restricts the candidates.',
    ),
    weights: setting(
      'PROVIDER_WEIGHTS',
      weights(),
      EMPTY_MAP,
      'The shares of the strategy WEIGHTED, such as gemini:70,openai:30.',
    ),
    metadata: setting(
      'PROVIDER_METADATA',
      providerMetadata,
      EMPTY_MAP,
      'Cost and quality per provider for COST_OPTIMIZED and QUALITY_FIRST, as JSON.',
    ),
    overflow: setting(
      'PROVIDER_OVERFLOW',
      choice(['next', 'delay']),
      'next',
      'What happens to a message whose provider is limited: to the next provider, or delayed.',
    ),
    rateLimitEnabled: setting(
      'RATE_LIMIT_ENABLED',
      boolean,
      true,
      "Whether the dispatcher checks a provider's limit; the worker always does.",
    ),
    rateLimitDelayMs: optional(
      'RATE_LIMIT_DELAY_MS',
      duration(1, 86_400_000),
      'the exact wait',
      'A fixed delay for messages over the limit.',
    ),
  },
  worker: {
    concurrency: setting(
      'WORKER_CONCURRENCY',
      integer(1, 10_000),
      1,
      'How many jobs a worker runs at once.',
    ),
    prefetch: {
      ...setting(
        'PREFETCH',
        integer(1, 65_535),
        1,
        'How many jobs a worker has in hand, in calls and behind them.',
      ),
      sameAs: 'concurrency',
      whenUnset: 'the concurrency',
    },
    requestsPerMinute: optional(
      'RATE_LIMIT',
      integer(1),
      "the provider's own limit",
      'Requests per minute of a one-provider worker; `serve` does not read it.',
    ),
  },
  jobs: {
    rawQueue: setting(
      'RAW_ANALYSIS_QUEUE',
      queueName,
      'raw-analysis-queue',
      'The queue that other systems publish to.',
    ),
    resultsQueue: setting(
      'RESULTS_QUEUE',
      queueName,
      'analysis-results-queue',
      'The queue for results of jobs from the raw queue.',
    ),
    deadLetterQueue: setting(
      'DLQ_QUEUE',
      queueName,
      'analysis-dlq',
      'The queue that gets a copy of each dead letter.',
    ),
    queueType: setting(
      'QUEUE_TYPE',
      choice(['classic', 'quorum']),
      'classic',
      'The type of queues that do not exist yet.',
    ),
    maxRetryAttempts: setting(
      'MAX_RETRY_ATTEMPTS',
      integer(0, 100),
      3,
      'How often a failed job is tried again before it is a dead letter.',
    ),
    retryDelayMs: setting(
      'RETRY_DELAY_MS',
      duration(0, 86_400_000),
      1000,
      'The wait before the first retry of a job; it doubles each time.',
    ),
    leaseMs: setting(
      FILE_ONLY,
      duration(5000, 3_600_000),
      30_000,
      'How long a running job stays with a worker that has fallen silent.',
    ),
    midStream: setting(
      FILE_ONLY,
      choice(MID_STREAM),
      'restart',
      'What a job does when its stream is cut after content: fail, or call again from the beginning.',
    ),
  },
  timeouts: {
    connectMs: setting(FILE_ONLY, duration(1), 10_000, 'To connect to a provider.'),
    firstContentMs: setting(FILE_ONLY, duration(1), 30_000, 'To the first content of a stream.'),
    reasoningFirstContentMs: setting(
      FILE_ONLY,
      duration(1),
      120_000,
      'To the first content of a stream of a reasoning model.',
    ),
    idleMs: setting(
      FILE_ONLY,
      duration(1),
      30_000,
      'Between content events of a stream; keep-alives do not count.',
    ),
    totalMs: setting(FILE_ONLY, duration(1), 600_000, 'For a request with all its attempts.'),
    unaryMs: setting(FILE_ONLY, duration(1), 60_000, 'To the beginning of a unary answer.'),
    reasoningUnaryMs: setting(
      FILE_ONLY,
      duration(1),
      120_000,
      'To the beginning of a unary answer of a reasoning model.',
    ),
    holdStatusMs: setting(
      FILE_ONLY,
      duration(0),
      20_000,
      'How long the status line of a stream is held back for its first content.',
    ),
  },
  retry: {
    throttledRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      5,
      'How often a call is repeated that the provider throttled.',
    ),
    overloadedRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'How often a call is repeated that met an overloaded provider.',
    ),
    errorRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'How often a call is repeated that the provider failed.',
    ),
    networkRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'How often a call is repeated that the network lost or that took too long.',
    ),
    baseMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      1000,
      'The wait before the first repeat; it doubles each time.',
    ),
    overloadedBaseMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      2000,
      'The same for an overloaded provider.',
    ),
    maxMs: setting(FILE_ONLY, duration(1, 3_600_000), 60_000, 'Where the doubling ends.'),
    jitter: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.25,
      'The part by which a wait is longer or shorter, so that callers do not come back together.',
    ),
    maxInteractiveWaitMs: setting(
      FILE_ONLY,
      duration(0),
      10_000,
      'The most that one request waits in all; beyond it the caller is told when to come back.',
    ),
    budgetPerRequest: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.1,
      'How many retries each request pays into the budget that all share, per provider.',
    ),
    budgetPerSecond: setting(
      FILE_ONLY,
      decimal(0, 1000),
      0.5,
      'How many retries a second pays in while requests are rare.',
    ),
    budgetCapacity: setting(
      FILE_ONLY,
      decimal(0, 1_000_000),
      8,
      'How many retries the budget holds at most, and at first; 0 turns retries off.',
    ),
  },
  breaker: {
    failures: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      5,
      'How many failures of a provider in a region open its circuit.',
    ),
    windowMs: setting(FILE_ONLY, duration(1000, 3_600_000), 60_000, 'How long a failure counts.'),
    ratio: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.5,
      'The part of all calls that must have failed, besides.',
    ),
    openMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      60_000,
      'How long an open circuit lets nothing through before it is probed.',
    ),
    successesToClose: setting(
      FILE_ONLY,
      integer(1, 1000),
      2,
      'How many probes must go well for it to close.',
    ),
  },
  streams: {
    maxBufferBytes: setting(
      FILE_ONLY,
      size(16 * 1024, 2 ** 26),
      256 * 1024,
      'The most memory one stream may hold while its caller reads slowly.',
    ),
  },
  journal: {
    segmentBytes: setting(
      FILE_ONLY,
      size(64 * 1024, 2 ** 30),
      4 * 2 ** 20,
      'The size at which the local usage journal begins a new file.',
    ),
  },
  budgets: {
    holdMarginMs: setting(
      FILE_ONLY,
      duration(1000, 3_600_000),
      60_000,
      'How long after its deadline a call whose server fell silent is charged what was held for it.',
    ),
    reserveMs: setting(
      FILE_ONLY,
      duration(1000, 3_600_000),
      120_000,
      'How long a server that fell silent keeps what it set aside of budgets for the time PostgreSQL is away.',
    ),
  },
  prices: {
    models: setting(
      FILE_ONLY,
      prices,
      EMPTY_MAP,
      'Prices by model, `provider/model` or `prefix*`, in place of the maintained list.',
    ),
    fallback: optional(
      FILE_ONLY,
      price,
      'such models are refused, because nothing is free',
      'The price of models that nobody knows.',
    ),
  },
  retention: {
    jobsMs: setting(FILE_ONLY, duration(60_000), 30 * 86_400_000, 'Finished jobs.'),
    resultsMs: setting(FILE_ONLY, duration(60_000), 30 * 86_400_000, 'Results of jobs.'),
    eventsMs: setting(FILE_ONLY, duration(60_000), 90 * 86_400_000, 'Build events.'),
    usageMs: setting(FILE_ONLY, duration(60_000), 400 * 86_400_000, 'Usage records.'),
  },
  telemetry: {
    sentryDsn: optional('SENTRY_DSN', secretUrl(), 'no reports', 'Where failures are reported.'),
    otlpEndpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      serviceUrl('https', 'http'),
      'no export',
      'Where metrics and traces are sent.',
    ),
  },
  alerts: {
    webhookUrl: optional('ALERT_WEBHOOK_URL', secretUrl(), 'alerts are logged', 'Where alerts go.'),
  },
  egress: {
    allowHosts: setting(
      'EGRESS_ALLOW_HOSTS',
      list(host),
      [],
      'Private hosts that callbacks and images may reach.',
    ),
  },
} as const satisfies Readonly<Record<string, Rows>>;

export type SectionName = keyof typeof SETTINGS;

export const SECTION_ABOUT: Readonly<Record<SectionName, string>> = {
  server: 'Where Spillway listens and what it takes from callers.',
  log: 'What is written to the log.',
  auth: 'The keys of this installation.',
  storage: 'Where data is kept. Each service is used when its URL is set.',
  cluster: 'This server among others.',
  dispatcher: 'How messages of the raw queue find their provider.',
  worker: 'How jobs are taken and run.',
  jobs: 'Queues, retries and leases of jobs.',
  timeouts: 'The clocks of a call.',
  retry: 'When a failed call is made again.',
  breaker: 'When a provider that fails is left alone.',
  streams: 'How streams are relayed.',
  journal: 'The local journal that usage records survive a crash in.',
  budgets: 'How money is held for calls under way.',
  prices:
    'What models cost, where the maintained list of prices does not say so or says otherwise.',
  retention: 'How long things are kept.',
  telemetry: 'Who else is told.',
  alerts: 'Where alerts are sent.',
  egress: 'What Spillway may reach on behalf of callers.',
};
