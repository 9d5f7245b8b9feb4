// Opens the dependencies of model calls: upstream connections, clocks, prices, limits, budgets, breakers.

import type { Headroom } from '../../admission/headroom.ts';
import type { Config } from '../../config/config.ts';
import { createCallMetrics } from '../../flow/call/call-metrics.ts';
import { createCallTerms } from '../../flow/call/call-terms.ts';
import { createCallerRetries } from '../../flow/call/caller-retries.ts';
import { expectRecovery } from '../../flow/call/expect-recovery.ts';
import { RequestSlots } from '../../flow/serve/request-slots.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { PerformanceLog } from '../../flow/telemetry/performance-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Tracer } from '../../kernel/telemetry/tracer.ts';
import { createWatch } from '../../kernel/watch.ts';
import { createMeter, type Meter } from '../../metering/prices/meter.ts';
import { createPriceBook } from '../../metering/prices/price-book.ts';
import { createModelMaximum, createWorstCase } from '../../metering/prices/worst-case.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import { createTargetLoad } from '../../routing/target-load.ts';
import { createAnswerBytes } from '../../upstream/attempt/answer-bytes.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt-call.ts';
import { createAccountTerms } from '../account-terms.ts';
import { createBudgetOwners } from '../budget-owners.ts';
import { chatAliases } from '../chat/default-models.ts';
import { createIsReasoning } from '../reasoning-models.ts';
import type { Store } from '../store-ports.ts';
import { watchBudgets } from '../telemetry/watch-budgets.ts';
import { type Budgets, openBudgets } from './open-budgets.ts';
import { openCredentials } from './open-credentials.ts';
import { openContextTokens, openModelLabel } from './open-models.ts';
import { openResilience } from './open-resilience.ts';
import { openUpstream } from './open-upstream.ts';
import type { SharedState } from './shared-state.ts';

/** A unary response is buffered whole before it is passed on, so its size is bounded. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

export type CallContext = {
  readonly serverId: string;
  readonly store: Store;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly performance?: PerformanceLog | undefined;
  readonly tracer?: Tracer | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export async function openCalls(config: Config, context: CallContext): Promise<ServeParts> {
  const { serverId, store, shared, metrics, clock, log } = context;
  const budgets = await openBudgets(config, context);
  const resilience = await openResilience(config, { ...context, redis: shared.redis });
  const credentials = await openCredentials(config, {
    redis: shared.redis,
    hashKey: config.auth.hashKey ?? store.identity.hashKey,
    clock,
    lifecycle: context.lifecycle,
  });
  const load = createTargetLoad();
  const { providers } = config;
  return {
    attempts: await openAttempts(config, context, resilience.headroom),
    resolveTargets: createResolveTargets({
      providers: Object.values(providers),
      aliases: [...Object.values(config.aliases), ...chatAliases(config)],
      loadOf: load.of,
    }),
    load: goesByLoad(config) ? load : undefined,
    isReasoning: createIsReasoning(config.models),
    alsoAllowed: {
      queryParameters: new Set(config.forwarding.queryParameters),
      betas: new Set(config.forwarding.anthropicBetas),
    },
    translation: {
      maxOutputTokens: createModelMaximum({ maxOutputTokens: configuredMaxima(config) }),
      now: () => clock.now(),
      newAnswerId: () => newId('msg'),
    },
    mayNameStored: mayNameStored(config.forwarding.storedObjects),
    contextTokens: openContextTokens(config),
    limits: expectRecovery(shared.limits, resilience.breakers),
    limiter: shared.rateLimiter,
    terms: createCallTerms(createAccountTerms(providers)),
    ledger: watchBudgets(config, context, budgets.ledger),
    holdMarginMs: config.budgets.holdMarginMs,
    budgetOwnerOf: createBudgetOwners(store, clock),
    ...resilience,
    retryRules: config.retry,
    callerRetries: createCallerRetries(clock),
    credentials,
    meter: openMeter(config, budgets, clock),
    metrics: createCallMetrics(metrics, openModelLabel(config), clock),
    performance: context.performance,
    tracer: context.tracer,
    slots: new RequestSlots(config.cluster.maxConcurrentBuilds),
    clock,
    log,
    serverId,
  };
}

async function openAttempts(
  config: Config,
  { clock, lifecycle }: CallContext,
  headroom: Headroom,
): Promise<AttemptParts> {
  // Closed in reverse order: the upstream waits for its calls, which the watch ends in time.
  const watch = createWatch(clock);
  lifecycle.onClose('watch', () => watch.close());
  const upstream = await openUpstream(config, clock);
  lifecycle.onClose('upstream', () => upstream.close());
  return {
    upstream,
    clock,
    watch,
    timeouts: config.timeouts,
    onHealthy: (target, headers) => headroom.learn(target, headers),
    maxAnswerBytes: MAX_ANSWER_BYTES,
    answerBytes: createAnswerBytes(Math.max(MAX_ANSWER_BYTES, config.server.maxBodyBytes)),
    maxHeldBytes: config.streams.maxBufferBytes,
  };
}

/** Counting calls in flight has a cost, and only the strategy `least-loaded` needs it. */
function goesByLoad({ aliases }: Config): boolean {
  return Object.values(aliases).some(({ strategy }) => strategy === 'least-loaded');
}

function openMeter(config: Config, budgets: Budgets, clock: Clock): Meter {
  const prices = createPriceBook({
    overrides: config.prices.models,
    defaultPrice: config.prices.fallback,
    features: { tiers: config.prices.tiers, toolsUsd: config.prices.tools },
  });
  // Loaded at start, so that the first request does not wait for it.
  prices.load();
  const worstCase = createWorstCase({ maxOutputTokens: configuredMaxima(config) });
  const { journal } = budgets;
  return createMeter({ journal, prices, worstCase, clock, onRecorded: () => budgets.wake() });
}

/** The largest outputs that the configuration states, by model. */
function configuredMaxima({ models }: Config): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(models).flatMap(([model, { maxOutputTokens: most }]) =>
      most === undefined ? [] : [[model, most]],
    ),
  );
}

/** Objects stored at a provider belong to the account, which organisations share: only the listed ones may name them. */
function mayNameStored(organizations: readonly string[]): (organizationId: string) => boolean {
  if (organizations.includes('*')) return () => true;
  const listed = new Set(organizations);
  return (organizationId) => listed.has(organizationId);
}
