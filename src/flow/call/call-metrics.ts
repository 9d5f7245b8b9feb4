// The metrics of calls. Cells are looked up once per model and outcome, then cached.

import type { Clock } from '../../kernel/clock.ts';
import type { Cell, Counter, Histogram, HistogramCell, Metrics } from '../../kernel/metrics.ts';
import { observe } from '../../kernel/metrics.ts';
import { createMinuteCount } from '../../kernel/telemetry/minute-count.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { NativeOperation } from '../../upstream/native-route.ts';
import {
  createGenAiMetrics,
  type GenAiMetrics,
  type GenAiModel,
} from '../telemetry/gen-ai-metrics.ts';
import { type ModelLabel, OTHER_MODEL } from './model-label.ts';

/** Operators may configure many models; beyond this number they share the label `other`. */
const MAX_MODELS = 300;
const LATENCY_BOUNDS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const COST_BOUNDS_USD = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

export type CallMetrics = {
  ended(
    operation: NativeOperation,
    provider: string,
    model: string,
    code: string,
    latencyMs: number,
    /** Undefined when no attempt was sent. */
    used: (Usage & { readonly costNanos: number }) | undefined,
    /** The owner of the rate limit that refused a call. */
    limitScope: string | undefined,
  ): void;
  /** The first content of a stream has arrived; `waitedMs` is the time since the attempt was sent. */
  firstContent(operation: NativeOperation, provider: string, model: string, waitedMs: number): void;
  /** A failed attempt is retried; `code` is the code of its failure. */
  retried(code: string): void;
  /**
   * Another attempt served the call after this one hung or broke, so that the organisation does not pay this estimate.
   */
  unbilled(provider: string, costNanos: number): void;
  /** A call continues at another target. */
  fellBack(fromProvider: string, toProvider: string): void;
};

type ModelCells = {
  readonly requests: Map<string, Cell>;
  readonly latency: HistogramCell;
  readonly costPerRequest: HistogramCell;
  readonly tokens: TokenCells;
  readonly cost: Cell;
  readonly genAi: GenAiModel;
};

type TokenCells = {
  readonly input: Cell;
  readonly output: Cell;
  readonly cacheRead: Cell;
  readonly cacheWrite: Cell;
};

type Families = {
  readonly requests: Counter;
  readonly errors: Counter;
  readonly latency: Histogram;
  readonly tokens: Counter;
  readonly cost: Counter;
  readonly costPerRequest: Histogram;
  readonly genAi: GenAiMetrics;
};

/** Not an error: the call succeeded, or its caller disconnected. */
const NO_ERRORS: ReadonlySet<string> = new Set(['OK', 'CLIENT_GONE']);

export function createCallMetrics(
  metrics: Metrics,
  labelOf: ModelLabel,
  clock: Pick<Clock, 'monotonic'>,
): CallMetrics {
  const families = registerFamilies(metrics);
  const { requests, errors, latency, costPerRequest } = families;
  const throttled = metrics.counter(
    'ai.rate_limit.exceeded',
    'Calls refused by a rate limit, by the scope of the limit: organization, provider or system.',
    ['scope'],
  );
  const retries = metrics.counter('ai.retry.count', 'Retried attempts, by error code.', ['code']);
  const fallbacks = metrics.counter(
    'ai.fallback.count',
    'Calls that went on at another target, by the providers of both.',
    ['from', 'to'],
  );
  const unbilledCost = metrics.counter(
    'ai.cost.unbilled.usd',
    'Estimated cost in US dollars of attempts without an answer in calls that another attempt served, by provider.',
    ['provider'],
    'USD',
  );
  const countForRate = createErrorRate(metrics, clock);
  /** By provider, then by model: a joined key would be built for every call. */
  const providers = new Map<string, Map<string, ModelCells>>();
  let models = 0;

  function cellsFor(provider: string, model: string): ModelCells {
    const known = providers.get(provider)?.get(model);
    if (known) return known;
    if (models >= MAX_MODELS && model !== OTHER_MODEL) return cellsFor(provider, OTHER_MODEL);
    const cells = createCells(families, provider, model);
    const ofProvider = providers.get(provider) ?? new Map<string, ModelCells>();
    providers.set(provider, ofProvider.set(model, cells));
    models += 1;
    return cells;
  }

  return {
    retried(code) {
      retries.cell(code).value += 1;
    },
    unbilled(provider, costNanos) {
      unbilledCost.cell(provider).value += costNanos / 1e9;
    },
    fellBack(from, to) {
      fallbacks.cell(from, to).value += 1;
    },
    firstContent(operation, provider, named, waitedMs) {
      cellsFor(provider, labelOf(named)).genAi.firstChunk(operation, waitedMs);
    },
    ended(operation, provider, named, code, latencyMs, used, limitScope) {
      const model = labelOf(named);
      const cells = cellsFor(provider, model);
      let outcome = cells.requests.get(code);
      if (!outcome) {
        outcome = requests.cell(provider, model, code);
        cells.requests.set(code, outcome);
      }
      outcome.value += 1;
      const isError = !NO_ERRORS.has(code);
      if (isError) errors.cell(code, model).value += 1;
      if (limitScope !== undefined) throttled.cell(limitScope).value += 1;
      countForRate(isError);
      observe(latency, cells.latency, latencyMs / 1000);
      cells.genAi.ended(operation, code, latencyMs, used);
      if (!used) return;
      countTokens(cells.tokens, used);
      cells.cost.value += used.costNanos / 1e9;
      observe(costPerRequest, cells.costPerRequest, used.costNanos / 1e9);
    },
  };
}

function registerFamilies(metrics: Metrics): Families {
  const byModel = ['provider', 'model'];
  return {
    requests: metrics.counter('ai.request.count', 'Calls, by provider, model and outcome.', [
      ...byModel,
      'code',
    ]),
    errors: metrics.counter('ai.error.count', 'Failed calls, by error code and model.', [
      'code',
      'model',
    ]),
    latency: metrics.histogram(
      'ai.latency',
      'Duration of calls from request to end of response, in seconds.',
      LATENCY_BOUNDS_S,
      byModel,
      's',
    ),
    tokens: metrics.counter(
      'ai.tokens',
      'Tokens used, by provider, model and type: input, output, cache_read or cache_write.',
      [...byModel, 'type'],
      '{token}',
    ),
    cost: metrics.counter(
      'ai.cost.usd',
      'Cost of calls in US dollars, by provider and model.',
      byModel,
      'USD',
    ),
    costPerRequest: metrics.histogram(
      'ai.cost.per_request',
      'Cost of the last attempt of a call in US dollars.',
      COST_BOUNDS_USD,
      byModel,
      'USD',
    ),
    genAi: createGenAiMetrics(metrics),
  };
}

function createCells(families: Families, provider: string, model: string): ModelCells {
  const { latency, costPerRequest, tokens, cost, genAi } = families;
  return {
    requests: new Map(),
    latency: latency.cell(provider, model),
    costPerRequest: costPerRequest.cell(provider, model),
    tokens: {
      input: tokens.cell(provider, model, 'input'),
      output: tokens.cell(provider, model, 'output'),
      cacheRead: tokens.cell(provider, model, 'cache_read'),
      cacheWrite: tokens.cell(provider, model, 'cache_write'),
    },
    cost: cost.cell(provider, model),
    genAi: genAi.of(provider, model),
  };
}

function countTokens(cells: TokenCells, used: Usage): void {
  cells.input.value += used.inputTokens;
  cells.output.value += used.outputTokens;
  cells.cacheRead.value += used.cacheReadTokens;
  cells.cacheWrite.value += used.cacheWriteTokens + used.cacheWrite1hTokens;
}

function createErrorRate(
  metrics: Metrics,
  clock: Pick<Clock, 'monotonic'>,
): (isError: boolean) => void {
  const rate = metrics
    .gauge('ai.error.rate', 'Failed calls of the last minute as a fraction of all, 0 to 1.')
    .cell();
  const [calls, failed] = [createMinuteCount(clock), createMinuteCount(clock)];
  metrics.onCollect(() => {
    rate.value = failed.value() / Math.max(1, calls.value());
  });
  return (isError) => {
    calls.add();
    if (isError) failed.add();
  };
}
