// The metrics of calls. Cells are looked up once per model and outcome, then cached.

import type { Cell, Histogram, HistogramCell, Metrics } from '../../kernel/metrics.ts';
import { observe } from '../../kernel/metrics.ts';
import type { Usage } from '../../kernel/usage.ts';
import { type ModelLabel, OTHER_MODEL } from './model-label.ts';

/** Operators may configure many models; beyond this number they share the label `other`. */
const MAX_MODELS = 300;
const LATENCY_BOUNDS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export type CallMetrics = {
  ended(
    provider: string,
    model: string,
    code: string,
    latencyMs: number,
    /** Undefined when no attempt was sent. */
    used: (Usage & { readonly costNanos: number }) | undefined,
  ): void;
  /** A failed attempt is retried; `code` is that of its failure. */
  retried(code: string): void;
};

type ModelCells = {
  readonly requests: Map<string, Cell>;
  readonly latency: HistogramCell;
  readonly inputTokens: Cell;
  readonly outputTokens: Cell;
  readonly cost: Cell;
};

export function createCallMetrics(metrics: Metrics, labelOf: ModelLabel): CallMetrics {
  const requests = metrics.counter('ai.request.count', 'Calls, by provider, model and outcome.', [
    'provider',
    'model',
    'code',
  ]);
  const errors = metrics.counter('ai.error.count', 'Failed calls, by error code and model.', [
    'code',
    'model',
  ]);
  const latency: Histogram = metrics.histogram(
    'ai.latency',
    'Duration of calls from request to end of response, in seconds.',
    LATENCY_BOUNDS_S,
    ['provider', 'model'],
  );
  const tokens = metrics.counter(
    'gen_ai.client.token.usage',
    'Tokens used, by provider, model and type.',
    ['provider', 'model', 'type'],
  );
  const cost = metrics.counter(
    'ai.cost.usd',
    'Cost of calls in US dollars, by provider and model.',
    ['provider', 'model'],
  );
  const retries = metrics.counter('ai.retry.count', 'Retried attempts, by error code.', ['code']);
  const models = new Map<string, ModelCells>();

  function cellsFor(provider: string, model: string): ModelCells {
    const key = `${provider}/${model}`;
    let cells = models.get(key);
    if (!cells) {
      if (models.size >= MAX_MODELS && model !== OTHER_MODEL)
        return cellsFor(provider, OTHER_MODEL);
      cells = {
        requests: new Map(),
        latency: latency.cell(provider, model),
        inputTokens: tokens.cell(provider, model, 'input'),
        outputTokens: tokens.cell(provider, model, 'output'),
        cost: cost.cell(provider, model),
      };
      models.set(key, cells);
    }
    return cells;
  }

  return {
    retried(code) {
      retries.cell(code).value += 1;
    },
    ended(provider, named, code, latencyMs, used) {
      const model = labelOf(named);
      const cells = cellsFor(provider, model);
      let outcome = cells.requests.get(code);
      if (!outcome) {
        outcome = requests.cell(provider, model, code);
        cells.requests.set(code, outcome);
      }
      outcome.value += 1;
      if (code !== 'OK') errors.cell(code, model).value += 1;
      observe(latency, cells.latency, latencyMs / 1000);
      if (!used) return;
      cells.inputTokens.value += used.inputTokens + used.cacheReadTokens;
      cells.outputTokens.value += used.outputTokens;
      cells.cost.value += used.costNanos / 1e9;
    },
  };
}
