// The table of settings, the only source of the loader, `spillway config`, docs/configuration.md, .env.example and the
// type `Config`.
//
// To add a setting, add one row to its section:
//
//   key: setting('VARIABLE' or FILE_ONLY, kind, default, 'One sentence.'),
//   key: optional('VARIABLE' or FILE_ONLY, kind, 'the effect of leaving it out', 'One sentence.'),
//
// then run `node src/config/write-docs.ts`. A new section is a new object here and a line in SECTION_ABOUT.
// Providers, aliases and models have their rows in named-settings.ts; a rule over two settings goes to rules.ts. Add a
// setting together with the code that reads it; settings.test.ts fails for a setting without a reader.

import { z } from 'zod';
import { LOG_LEVELS } from '../../kernel/log.ts';
import { ALERT_NAMES } from '../../kernel/notify/alert-name.ts';
import { EMPTY_MAP } from '../lookup.ts';
import { maskSecret } from '../mask.ts';
import {
  anyOf,
  boolean,
  choice,
  decimal,
  headerSecret,
  host,
  integer,
  type Kind,
  name,
  origin,
  secret,
  text,
} from './kind.ts';
import { list, mapOf, noProxyHosts, recordOf, weights } from './kind-list.ts';
import { categories, routingRules, skills } from './kind-orchestrator.ts';
import { duration, size } from './kind-unit.ts';
import { proxyUrl, publicUrl, redisUrl, secretUrl, serviceUrl } from './kind-url.ts';
import type { Rows } from './setting.ts';
import { FILE_ONLY, optional, setting } from './setting.ts';

const SELECTION_STRATEGIES = [
  'FIXED',
  'ROUND_ROBIN',
  'WEIGHTED',
  'COST_OPTIMIZED',
  'QUALITY_FIRST',
  'LEAST_LOADED',
  'MESSAGE_BASED',
] as const;
const MID_STREAM = ['error', 'restart'] as const;

export const queueName = text(
  /^(?!amq\.)[A-Za-z0-9_.:-]{1,200}$/,
  '1 to 200 letters, digits, dots, colons, dashes or underscores, not beginning with amq',
);

const chatModel = text(/^\S{1,256}$/, 'a model or an alias, without spaces');

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
  audioInputUsd: usd.optional(),
  audioOutputUsd: usd.optional(),
  imageInputUsd: usd.optional(),
  imageOutputUsd: usd.optional(),
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

const toolPrices = mapOf(
  usd,
  'a map of tools to US dollars per use, such as { code_execution: 0.05 }',
);
const tierFactors = mapOf(
  z.number().positive().max(1000),
  'a map of tiers to factors of the standard price, such as { priority: 2, flex: 0.5 }',
);

const routeSizes = mapOf(
  size(1).schema,
  'a map of paths to sizes, such as { /v1/embeddings: 1MiB }',
);

const fieldPath = z
  .string()
  .trim()
  .regex(/^[\w$-]{1,100}(?:\[\])?(?:\.[\w$-]{1,100}(?:\[\])?){0,20}$/)
  .optional();
const rawMessageFields = z.strictObject({
  id: fieldPath,
  organization: fieldPath,
  user: fieldPath,
  provider: fieldPath,
  model: fieldPath,
  prompt: fieldPath,
  images: fieldPath,
  promptTemplate: z.string().min(1).max(100_000).optional(),
});
const rawMessages = recordOf(
  rawMessageFields,
  'a map with the paths id, organization, user, provider, model, prompt, images and a promptTemplate, such as { id: order.id, images: "photos[].url", promptTemplate: "Describe {{order.title}}." }',
);

/** Standard Webhooks: 24 to 64 bytes, base64, with or without its prefix. */
const webhookSecret: Kind<string> = {
  ...text(
    /^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/,
    'whsec_ and 24 to 64 bytes in base64 (openssl rand -base64 32)',
  ),
  mask: maskSecret,
};

/** The thresholds that the store detects. */
const BUDGET_PERCENTS: readonly number[] = [50, 80, 90, 100];
const budgetPercent: Kind<number> = {
  schema: integer(0, 100).schema.refine((value) => BUDGET_PERCENTS.includes(value)),
  allowed: anyOf(BUDGET_PERCENTS),
  write: String,
};

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
      'The largest request body; larger bodies get REQUEST_TOO_LARGE.',
    ),
    routeBodyLimitBytes: setting(
      FILE_ONLY,
      routeSizes,
      EMPTY_MAP,
      'The largest request body of single routes, by path.',
    ),
    maxBodyBytes: setting(
      FILE_ONLY,
      size(2 ** 20),
      512 * 2 ** 20,
      'The bytes of all request bodies and unread answers that the server holds at once, and of the large answers that arrive at once; at least the largest body.',
    ),
    maxOrganizationBodyBytes: setting(
      FILE_ONLY,
      size(2 ** 20),
      128 * 2 ** 20,
      'The bytes of request bodies and unread answers that the server holds at once for one organisation; at least the largest body.',
    ),
    uploadIdleTimeoutMs: setting(
      FILE_ONLY,
      duration(1000),
      30_000,
      "How long a caller may pause while it sends a request's body.",
    ),
    maxConnections: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      10_000,
      'The number of open connections; more are refused.',
    ),
    maxConnectionsPerAddress: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      5000,
      'The number of open connections of one address; set it to that of the server behind a proxy.',
    ),
    refusalsPerMinute: setting(
      FILE_ONLY,
      integer(0, 1_000_000),
      1200,
      'The refused requests (wrong key, unknown path, malformed body) of one key or address a minute. Beyond this number its requests get 429; beyond twice the number it is blocked until it pauses. 0 turns the limit off.',
    ),
    adminGuessesPerMinute: setting(
      FILE_ONLY,
      integer(0, 1_000_000),
      200,
      'The wrong admin keys of one address; 0 turns the limit off.',
    ),
    drainTimeoutMs: setting(
      FILE_ONLY,
      duration(0),
      120_000,
      'How long requests and streams may continue after a signal to stop.',
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
      "How long an idle connection stays open; set it longer than the load balancer's timeout.",
    ),
    corsOrigins: setting(
      'SPILLWAY_CORS_ORIGINS',
      list(origin, { max: 100 }),
      [],
      'The web origins that may call this server from a browser; * is every origin. By default no page may call it.',
    ),
  },
  dashboard: {
    sessionMs: setting(
      FILE_ONLY,
      duration(60_000, 30 * 24 * 3_600_000),
      12 * 3_600_000,
      "How long an operator's session in the dashboard lasts without use.",
    ),
    trustsForwardedProto: setting(
      'SPILLWAY_TRUST_FORWARDED_PROTO',
      boolean,
      false,
      "Marks the dashboard's cookie `Secure` when the proxy in front sets `x-forwarded-proto: https`.",
    ),
  },
  log: {
    level: setting('LOG_LEVEL', choice(LOG_LEVELS), 'info', 'The lowest level that is logged.'),
    redisEnabled: setting(
      'ENABLE_REDIS_LOGGING',
      boolean,
      false,
      'Stores the last log entries of all servers in Redis, for `GET /admin/logs`.',
    ),
    maxRedisEntries: setting(
      'MAX_REDIS_LOG_ENTRIES',
      integer(1, 1_000_000),
      1000,
      'The number of log entries stored in Redis, for requests and for all other entries each.',
    ),
    slowRequestMs: setting(
      'LOG_SLOW_REQUEST_MS',
      duration(1),
      120_000,
      'A request that takes longer is logged with type `performance`.',
    ),
    eventLoopDelayMs: setting(
      'LOG_EVENT_LOOP_DELAY_MS',
      duration(1),
      250,
      'An event loop that is delayed longer is logged with type `performance`.',
    ),
    slowDependencyMs: setting(
      'LOG_SLOW_DEPENDENCY_MS',
      duration(1),
      500,
      'A store, Redis or broker that takes longer to answer is logged with type `performance`.',
    ),
  },
  auth: {
    adminKey: optional(
      'SPILLWAY_ADMIN_KEY',
      // Guesses are throttled; 32 characters make guessing pointless.
      headerSecret(32),
      'generated at the first start and stored in the data folder; required with `DATABASE_URL`',
      'The key of the admin API.',
    ),
    apiKey: optional(
      'SPILLWAY_API_KEY',
      secret(20),
      'generated at the first start on embedded storage',
      'A key for the organisation `default` with all scopes; never stored.',
    ),
    hashKey: optional(
      'SPILLWAY_HASH_KEY',
      secret(),
      'generated once and stored in the store',
      'The HMAC key for stored API keys; the same on every server.',
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
      redisUrl(),
      'limits, circuits and logs stay in the process',
      'Redis, the shared state of a cluster.',
    ),
    redisCaFile: optional(
      'REDIS_CA_FILE',
      text(),
      "Node's own authorities and NODE_EXTRA_CA_CERTS",
      'A PEM file with certificate authorities that are trusted for `rediss://` in addition.',
    ),
    rabbitmqUrl: optional(
      'RABBITMQ_URL',
      serviceUrl('amqp', 'amqps'),
      'queues on the durable store',
      'RabbitMQ, for queues shared with other systems.',
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
      'The prefix of limiter keys in Redis.',
    ),
    redisTtlSeconds: setting(
      'REDIS_TTL',
      integer(1, 86_400),
      120,
      'The lifetime of an unused limiter key in Redis, in seconds.',
    ),
  },
  cluster: {
    serverId: optional(
      'SERVER_ID',
      name,
      'generated once and stored in the data folder',
      'The name of this server in the cluster.',
    ),
    serverUrl: optional(
      'SERVER_URL',
      publicUrl(),
      'the host and port it listens on',
      'The URL at which other servers reach this one.',
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
      'The number of requests this server processes concurrently; a quarter more is reserved for organisations that have few.',
    ),
    interServerSecrets: optional(
      'INTER_SERVER_SECRET',
      list(secret(32, 'bytes'), { max: 2 }),
      'no routing between servers',
      'The secret that signs calls between servers; two during a rotation, the first one signs.',
    ),
    routingEnabled: setting(
      'ENABLE_MULTI_SERVER_ROUTING',
      boolean,
      false,
      'Forwards requests that this server cannot serve to a server that can.',
    ),
  },
  scaling: {
    minGateways: setting(FILE_ONLY, integer(0, 10_000), 1, 'The minimum of desired gateways.'),
    maxGateways: setting(FILE_ONLY, integer(1, 10_000), 10, 'The maximum of desired gateways.'),
    minWorkers: setting(
      FILE_ONLY,
      integer(0, 10_000),
      1,
      'The minimum of desired workers per provider.',
    ),
    maxWorkers: setting(
      FILE_ONLY,
      integer(1, 10_000),
      10,
      'The maximum of desired workers per provider.',
    ),
    targetUtilization: setting(
      FILE_ONLY,
      decimal(0.05, 1),
      0.6,
      'The share of its concurrent requests that a gateway should serve; above it another gateway is desired.',
    ),
    maxQueueWaitMs: setting(
      FILE_ONLY,
      duration(1000),
      60_000,
      'How long a job may wait for a worker; above it more workers are desired, unless the provider is limited.',
    ),
    cooldownMs: setting(
      FILE_ONLY,
      duration(1000),
      300_000,
      'The minimum time between two runs of the command or webhook.',
    ),
    command: optional(
      FILE_ONLY,
      list(text()),
      'none',
      'A program and its arguments, run without a shell by one server of the cluster when the desired replicas change; it reads them as JSON.',
    ),
    webhookUrl: optional(
      'SCALING_WEBHOOK_URL',
      secretUrl(),
      'none',
      'A URL to which one server of the cluster posts the desired replicas as JSON when they change.',
    ),
  },
  dispatcher: {
    id: setting('DISPATCHER_ID', name, 'dispatcher-001', 'The name of this dispatcher in logs.'),
    strategy: setting(
      'PROVIDER_SELECTION_STRATEGY',
      choice(SELECTION_STRATEGIES),
      'FIXED',
      'The strategy that chooses a provider for a message of the raw queue.',
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
      'all providers with a key',
      'The providers that a strategy may choose.',
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
      'Whether a message over the limit of its provider goes to the next provider or is delayed.',
    ),
    rateLimitEnabled: setting(
      'RATE_LIMIT_ENABLED',
      boolean,
      true,
      "Whether the dispatcher checks a provider's limit; the worker always does.",
    ),
    rateLimitDelayMs: optional(
      'RATE_LIMIT_DELAY_MS',
      duration(0, 86_400_000),
      'the exact time until the slot opens',
      'A fixed delay for messages over the limit; 0 is the exact time.',
    ),
  },
  worker: {
    concurrency: setting(
      'WORKER_CONCURRENCY',
      integer(1, 10_000),
      1,
      'The number of jobs that a worker runs concurrently.',
    ),
    prefetch: {
      ...setting(
        'PREFETCH',
        integer(1, 65_535),
        1,
        'The number of unfinished jobs of a worker: calling a provider or storing their result.',
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
      'The queue that receives a copy of each dead letter.',
    ),
    queueType: setting(
      'QUEUE_TYPE',
      choice(['classic', 'quorum']),
      'classic',
      'The type of queues that Spillway declares.',
    ),
    dispatchPayload: setting(
      'DISPATCH_PAYLOAD',
      choice(['pointer', 'message']),
      'pointer',
      'What provider queues carry: pointers, or whole messages of producers, which existing workers can read; the same on all servers.',
    ),
    intakeEnabled: setting(
      'JOB_INTAKE_ENABLED',
      boolean,
      true,
      'Whether messages of other systems are taken from the queues; false only finishes the jobs that Spillway has.',
    ),
    resultsIncludeFailures: setting(
      'RESULTS_INCLUDE_FAILURES',
      boolean,
      true,
      'Whether failures are published to the results queue; false publishes them to the dead-letter queue alone.',
    ),
    rawMessages: setting(
      FILE_ONLY,
      rawMessages,
      {},
      'How messages of other systems are read: the paths of their fields and the prompt of a message that has none.',
    ),
    maxRetryAttempts: setting(
      'MAX_RETRY_ATTEMPTS',
      integer(0, 100),
      3,
      'The number of retries before a failed job becomes a dead letter.',
    ),
    retryDelayMs: setting(
      'RETRY_DELAY_MS',
      duration(0, 86_400_000),
      1000,
      'The delay before the first retry of a job; it doubles each time.',
    ),
    leaseMs: setting(
      FILE_ONLY,
      duration(5000, 3_600_000),
      30_000,
      'How long a worker owns a job without renewing its lease.',
    ),
    midStream: setting(
      FILE_ONLY,
      choice(MID_STREAM),
      'restart',
      'Whether a job fails or restarts from the beginning when its stream breaks after content.',
    ),
  },
  events: {
    fields: setting(
      'BUILD_EVENT_FIELDS',
      choice(['current', 'classic']),
      'current',
      'The field names of build events for readers without `?fields=`; `classic` adds `eventType` and its relatives, and ISO times.',
    ),
    unownedOrganization: optional(
      'BUILD_EVENT_ORGANIZATION',
      text(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'the id of an organisation'),
      'only operators read them',
      'The organisation of build events that another system wrote without one.',
    ),
  },
  timeouts: {
    connectMs: setting(FILE_ONLY, duration(1), 10_000, 'To connect to a provider.'),
    firstContentMs: setting(FILE_ONLY, duration(1), 120_000, 'To the first content of a stream.'),
    reasoningFirstContentMs: setting(
      FILE_ONLY,
      duration(1),
      600_000,
      'To the first content of a stream of a reasoning model.',
    ),
    idleMs: setting(
      FILE_ONLY,
      duration(1),
      60_000,
      'Between content events of a stream; keep-alives do not count.',
    ),
    reasoningIdleMs: setting(
      FILE_ONLY,
      duration(1),
      300_000,
      'Between content events of a stream of a reasoning model.',
    ),
    unaryMs: setting(FILE_ONLY, duration(1), 600_000, 'For one unary call, to its whole response.'),
    totalMs: setting(
      FILE_ONLY,
      duration(1),
      600_000,
      'For a unary request with all its attempts; a stream begins its last attempt within it and may then flow for any time.',
    ),
    streamLeaseMs: setting(
      FILE_ONLY,
      duration(1000),
      1_800_000,
      'How long limits, reservations and idempotency keys count a stream after its server died; longer than a stream lasts.',
    ),
    holdStatusMs: setting(
      FILE_ONLY,
      duration(0),
      20_000,
      'How long the status line of a stream waits for its first content.',
    ),
    usageMs: setting(
      FILE_ONLY,
      duration(0, 60_000),
      5000,
      'How long a stream is read for its usage after its caller has left or its deadline has passed.',
    ),
  },
  retry: {
    throttledRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      5,
      'The number of retries after a throttle of the provider.',
    ),
    overloadedRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'The number of retries at an overloaded provider.',
    ),
    errorRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'The number of retries after a server error of the provider.',
    ),
    networkRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      3,
      'The number of retries after a network failure.',
    ),
    timeoutRetries: setting(
      FILE_ONLY,
      integer(0, 100),
      0,
      'The number of retries after a timeout of a call that was sent; the provider charges for each.',
    ),
    baseMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      1000,
      'The delay before the first retry; it doubles each time.',
    ),
    overloadedBaseMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      2000,
      'The delay before the first retry at an overloaded provider.',
    ),
    maxMs: setting(FILE_ONLY, duration(1, 3_600_000), 60_000, 'The longest delay of the backoff.'),
    jitter: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.25,
      'The share by which a delay varies at random, so that retries do not arrive together.',
    ),
    maxInteractiveWaitMs: setting(
      FILE_ONLY,
      duration(0),
      10_000,
      'The longest total wait of one request; after it the caller gets an error with a retry time.',
    ),
    refusedCredentialMs: setting(
      FILE_ONLY,
      duration(0, 3_600_000),
      60_000,
      "How long calls fail without reaching the provider after it refused the account's key, at all servers on one Redis; 0 calls the provider every time.",
    ),
    budgetPerRequest: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.1,
      'The retries that each request adds to the retry budget of its provider.',
    ),
    budgetPerSecond: setting(
      FILE_ONLY,
      decimal(0, 1000),
      0.5,
      'The retries that each second adds to the retry budget, for times of few requests.',
    ),
    budgetCapacity: setting(
      FILE_ONLY,
      decimal(0, 1_000_000),
      8,
      'The capacity and the initial content of the retry budget; 0 turns retries off.',
    ),
  },
  breaker: {
    failures: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      5,
      'The number of failures of a provider in a region that opens its circuit.',
    ),
    windowMs: setting(FILE_ONLY, duration(1000, 3_600_000), 60_000, 'How long a failure counts.'),
    ratio: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.5,
      'The share of failed calls that is also required to open it.',
    ),
    openMs: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      60_000,
      'How long an open circuit refuses all calls before its first probe.',
    ),
    successesToClose: setting(
      FILE_ONLY,
      integer(1, 1000),
      2,
      'The number of successful probes that closes it.',
    ),
  },
  forwarding: {
    queryParameters: setting(
      FILE_ONLY,
      list(text(/^[\w$.-]{1,100}$/, 'a name of letters, digits, $, dots, dashes or underscores')),
      [],
      'Query parameters of AI endpoints that are forwarded besides `alt`, `beta` and `api-version`; others are refused.',
    ),
    anthropicBetas: setting(
      FILE_ONLY,
      list(text(/^[\w.-]{1,100}$/, 'a name of letters, digits, dots, dashes or underscores')),
      [],
      'Values of `anthropic-beta` that are forwarded besides the built-in list, with or without date; others are dropped.',
    ),
    storedObjects: setting(
      FILE_ONLY,
      list(text(/^(?:\*|[\w.-]{1,64})$/, 'the id of an organisation, or *')),
      ['default'],
      'Organisations that may name objects stored at a provider (files, conversations, caches, vector stores), which all organisations of an account share; `*` for all.',
    ),
  },
  streams: {
    maxBufferBytes: setting(
      FILE_ONLY,
      size(16 * 1024, 2 ** 26),
      256 * 1024,
      'The largest buffer of one stream while its caller reads slowly.',
    ),
  },
  journal: {
    segmentBytes: setting(
      FILE_ONLY,
      size(64 * 1024, 2 ** 30),
      4 * 2 ** 20,
      'The size at which the local usage journal starts a new file.',
    ),
  },
  budgets: {
    holdMarginMs: setting(
      FILE_ONLY,
      duration(1000, 3_600_000),
      60_000,
      'The time after the deadline of a call at which an unsettled reservation is charged in full.',
    ),
    reserveMs: setting(
      FILE_ONLY,
      duration(1000, 3_600_000),
      120_000,
      'The lifetime of the allotment from which a server pays calls while PostgreSQL is unavailable.',
    ),
  },
  prices: {
    models: setting(
      FILE_ONLY,
      prices,
      EMPTY_MAP,
      'Prices by model, `provider/model` or `prefix*`; they override the maintained list.',
    ),
    fallback: optional(
      FILE_ONLY,
      price,
      'models without a price are refused',
      'The price of models that neither the list nor `models` contains.',
    ),
    tools: setting(
      FILE_ONLY,
      toolPrices,
      EMPTY_MAP,
      'Prices of tools that a provider runs, in US dollars per use; a tool without a price is refused.',
    ),
    tiers: setting(
      FILE_ONLY,
      tierFactors,
      EMPTY_MAP,
      'Prices of processing tiers (`service_tier`, `speed`) as factors; a tier without one is refused.',
    ),
  },
  retention: {
    jobsMs: setting(FILE_ONLY, duration(60_000), 30 * 86_400_000, 'Finished jobs.'),
    resultsMs: setting(FILE_ONLY, duration(60_000), 30 * 86_400_000, 'Results of jobs.'),
    eventsMs: setting(FILE_ONLY, duration(60_000), 90 * 86_400_000, 'Build events.'),
    usageMs: setting(FILE_ONLY, duration(60_000), 400 * 86_400_000, 'Usage records.'),
    samplesMs: setting(
      FILE_ONLY,
      duration(3_600_000),
      8 * 86_400_000,
      'The samples behind the charts of the dashboard.',
    ),
    alertsMs: setting(FILE_ONLY, duration(60_000), 90 * 86_400_000, 'Ended alerts.'),
  },
  telemetry: {
    sentryDsn: optional(
      'SENTRY_DSN',
      secretUrl(),
      'no reports',
      'The Sentry project for reports of failures.',
    ),
    otlpEndpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      serviceUrl('https', 'http'),
      'no export',
      'The OTLP endpoint (HTTP, JSON) for metrics and traces; `/v1/metrics` and `/v1/traces` are added.',
    ),
    serviceName: setting(
      'OTEL_SERVICE_NAME',
      name,
      'spillway',
      'The name of the service in exported metrics and traces.',
    ),
    metricsIntervalMs: setting(
      'OTEL_METRIC_EXPORT_INTERVAL',
      duration(100),
      60_000,
      'How often metrics are exported.',
    ),
    traceSampleRatio: setting(
      'OTEL_TRACES_SAMPLER_ARG',
      decimal(0, 1),
      1,
      'The sampled fraction of new traces, 0 to 1; a trace of the caller keeps its own decision.',
    ),
    organizationLabels: setting(
      'METRICS_ORGANIZATION_LABELS',
      boolean,
      false,
      'Gives `ai.budget.usage` one value for each organisation instead of the highest; at most 500 organisations have a value.',
    ),
  },
  alerts: {
    enabled: setting(FILE_ONLY, boolean, true, 'Whether the rules of alerts are evaluated.'),
    webhookUrl: optional(
      'ALERT_WEBHOOK_URL',
      secretUrl(),
      'alerts are logged',
      'The webhook for alerts; each message is signed by Standard Webhooks.',
    ),
    webhookSecret: optional(
      'ALERT_WEBHOOK_SECRET',
      webhookSecret,
      'a secret of the installation, shown by GET /admin/alerts/webhook-secret',
      'The secret that signs messages to the webhook.',
    ),
    slackUrl: optional(
      'ALERT_SLACK_URL',
      secretUrl(),
      'no messages to Slack',
      'An incoming webhook of Slack, or of another system that accepts its format.',
    ),
    disabled: setting(FILE_ONLY, list(choice(ALERT_NAMES)), [], 'Alerts that are not evaluated.'),
    intervalMs: setting(
      FILE_ONLY,
      duration(100, 600_000),
      10_000,
      'The time between two evaluations.',
    ),
    startAfter: setting(
      FILE_ONLY,
      integer(1, 1000),
      2,
      'The evaluations in a row beyond its threshold that start an alert.',
    ),
    endAfter: setting(
      FILE_ONLY,
      integer(1, 1000),
      3,
      'The evaluations in a row with a clear value that end it.',
    ),
    minFiringMs: setting(
      FILE_ONLY,
      duration(0, 86_400_000),
      60_000,
      'How long an alert fires at least.',
    ),
    clearRatio: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.9,
      'The share of its threshold at which a value is clear, so that a value near the threshold does not start and end an alert again and again.',
    ),
    windowMs: setting(
      FILE_ONLY,
      duration(1000, 86_400_000),
      300_000,
      'The window of the error rate, the latency and the cost per request.',
    ),
    countWindowMs: setting(
      FILE_ONLY,
      duration(1000, 3_600_000),
      60_000,
      'The window of the errors and refusals per minute.',
    ),
    minRequests: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      5,
      'The requests within the window below which the error rate, the latency and the cost per request are not judged.',
    ),
    ignoredCodes: setting(
      FILE_ONLY,
      list(text(/^[A-Z_]{1,40}$/, 'an error code')),
      [
        'INVALID_REQUEST',
        'CONTENT_POLICY',
        'CONTEXT_TOO_LONG',
        'REQUEST_TOO_LARGE',
        'UNAUTHORIZED',
        'FORBIDDEN',
        'NOT_FOUND',
        'CONFLICT',
        'UNPROCESSABLE',
      ],
      "Error codes that do not count as errors: by default the callers' own mistakes.",
    ),
    errorRate: setting(
      FILE_ONLY,
      decimal(0, 1),
      0.05,
      'The share of failed requests above which `error-rate` fires.',
    ),
    errorsPerMinute: setting(
      FILE_ONLY,
      decimal(0, 1_000_000),
      10,
      'The failed requests per minute above which `error-count` fires.',
    ),
    rateLimitsPerMinute: setting(
      FILE_ONLY,
      decimal(0, 1_000_000),
      5,
      'The requests refused by rate limits per minute above which `rate-limit-exceeded` fires.',
    ),
    budgetPercents: setting(
      FILE_ONLY,
      list(budgetPercent),
      BUDGET_PERCENTS,
      'The thresholds of a monthly budget that are reported, once each.',
    ),
    budgetFiringPercent: setting(
      FILE_ONLY,
      integer(0, 101),
      90,
      'The threshold from which `budget-usage` fires until the budget is raised or the month is over; a lower one is a single message.',
    ),
    latencyP99Ms: setting(
      FILE_ONLY,
      duration(1, 3_600_000),
      10_000,
      'The 99th percentile of the latency above which `latency-p99` fires.',
    ),
    costPerRequestUsd: setting(
      FILE_ONLY,
      decimal(0, 10_000),
      0.1,
      'The average cost of a request above which `cost-per-request` fires.',
    ),
    deadLetters: setting(
      FILE_ONLY,
      integer(0),
      0,
      'The dead letters above which `dead-letters` fires.',
    ),
    rawBacklog: setting(
      FILE_ONLY,
      integer(0),
      1000,
      'The messages in the raw queue above which `raw-queue-backlog` fires.',
    ),
    oldestJobMs: setting(
      FILE_ONLY,
      duration(1000),
      600_000,
      'The wait of a job beyond its due time above which `oldest-waiting-job` fires.',
    ),
    overdueJobs: setting(
      FILE_ONLY,
      integer(0),
      0,
      'The overdue delayed jobs of an empty queue above which `delayed-messages` fires.',
    ),
    overdueAfterMs: setting(
      FILE_ONLY,
      duration(1000),
      60_000,
      'The time after which a delayed job that is due counts as overdue.',
    ),
    minServers: setting(
      FILE_ONLY,
      integer(0, 1000),
      1,
      'The gateways that accept requests below which `no-server` fires.',
    ),
  },
  orchestrator: {
    decisionModel: optional(
      'ORCHESTRATOR_MODEL',
      chatModel,
      'the small model of the first provider with a key',
      'The model or alias that decides on the category of a request at /api/chat.',
    ),
    replyModel: optional(
      'ORCHESTRATOR_REPLY_MODEL',
      chatModel,
      'the default model of each provider with a key, as a chain',
      'The model or alias that replies in categories without a model of their own.',
    ),
    decisionTimeoutMs: setting(
      FILE_ONLY,
      duration(100, 60_000),
      5000,
      'The time of the deciding model; then the cache or the rules decide.',
    ),
    maxReplyTokens: setting(
      FILE_ONLY,
      integer(1, 1_000_000),
      4096,
      'The most output tokens of a reply.',
    ),
    defaultCategory: optional(
      FILE_ONLY,
      name,
      '`unspecified-low`',
      'The category of a request that no rule matches.',
    ),
    categories: setting(
      FILE_ONLY,
      categories,
      EMPTY_MAP,
      'Categories, added to the defaults or replacing their fields: `about` (for the deciding model), `model`, `run` (`now` or `job`).',
    ),
    skills: setting(
      FILE_ONLY,
      skills,
      EMPTY_MAP,
      'Skills with their system prompts, added to the defaults.',
    ),
    rules: optional(
      FILE_ONLY,
      routingRules,
      'the default rules',
      'Routing rules, in place of the defaults: words that lead to a category and its skills. docs/orchestrator.md has their syntax.',
    ),
  },
  upstream: {
    httpsProxy: {
      ...optional(
        'HTTPS_PROXY',
        proxyUrl(),
        'direct connections',
        'The proxy for providers with an https base URL, also read from https_proxy; credentials may be part of the URL.',
      ),
      otherEnv: ['https_proxy'],
    },
    httpProxy: {
      ...optional(
        'HTTP_PROXY',
        proxyUrl(),
        'direct connections',
        'The proxy for providers with an http base URL, also read from http_proxy.',
      ),
      otherEnv: ['http_proxy'],
    },
    noProxy: {
      ...setting(
        'NO_PROXY',
        noProxyHosts,
        [],
        'Hosts that are reached directly: names (with their subdomains), host:port, addresses, networks such as 10.0.0.0/8, or * for all; also read from no_proxy.',
      ),
      otherEnv: ['no_proxy'],
    },
    proxyLoopback: setting(
      FILE_ONLY,
      boolean,
      false,
      'Sends calls of providers on this machine through the proxy too.',
    ),
    caFile: optional(
      'UPSTREAM_CA_FILE',
      text(),
      "Node's own authorities and NODE_EXTRA_CA_CERTS",
      'A PEM file with certificate authorities that are trusted for providers and proxies in addition.',
    ),
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
  server: 'The listener and the bounds of requests.',
  dashboard: "The dashboard's sessions.",
  log: 'The log.',
  auth: 'The keys of this installation.',
  storage: 'The data folder and the services. A service is used if its URL is set.',
  cluster: 'This server in a cluster.',
  scaling: 'The desired number of servers: `GET /cluster/scaling`, metrics, and a hook on change.',
  dispatcher: 'The choice of a provider for messages of the raw queue.',
  worker: 'The concurrency of workers.',
  jobs: 'Queues, retries and leases of jobs.',
  events: 'Build events.',
  timeouts: 'The timeouts of a call.',
  retry: 'The retries of a failed call.',
  breaker: 'The circuit breaker of a failing provider.',
  forwarding: 'What callers may add to a request beyond its documented form.',
  streams: 'The relay of streams.',
  journal: 'The local write-ahead journal of usage records.',
  budgets: 'The reservations of calls in flight.',
  prices: 'Prices of models that override or extend the maintained list.',
  retention: 'How long records are stored.',
  telemetry: 'The export of failures, metrics and traces.',
  orchestrator: 'The routing of requests at /api/chat.',
  alerts: 'The rules and the delivery of alerts.',
  upstream: 'Proxies and certificate authorities on the way to providers.',
  egress: 'The hosts that Spillway may reach on behalf of callers.',
};
