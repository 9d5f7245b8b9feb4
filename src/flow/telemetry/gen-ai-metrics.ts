// The metrics of model calls by OpenTelemetry's conventions for generative AI: the names, the attributes as labels, the
// units and the bounds of the buckets follow the conventions, so that dashboards made for them work unchanged.

import { type HistogramCell, type Metrics, observe } from '../../kernel/metrics.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { NativeOperation } from '../../upstream/native-route.ts';

export type GenAiMetrics = { of(provider: string, model: string): GenAiModel };

/** The cells of one model; the hot path keeps it. */
export type GenAiModel = {
  ended(operation: NativeOperation, code: string, latencyMs: number, used: Usage | undefined): void;
  /** The first content of a stream has arrived. */
  firstChunk(operation: NativeOperation, waitedMs: number): void;
};

type OperationCells = {
  readonly input: HistogramCell;
  readonly output: HistogramCell;
  readonly firstChunk: HistogramCell;
  readonly durations: Map<string, HistogramCell>;
};

const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const DURATION_BOUNDS_S = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const FIRST_CHUNK_BOUNDS_S = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const LABELS = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'];

export function createGenAiMetrics(metrics: Metrics): GenAiMetrics {
  const histograms = registerHistograms(metrics);
  return { of: (provider, model) => new ModelCells(histograms, provider, model) };
}

type Histograms = ReturnType<typeof registerHistograms>;

function registerHistograms(metrics: Metrics) {
  return {
    tokens: metrics.histogram(
      'gen_ai.client.token.usage',
      'Tokens of a call, by type.',
      TOKEN_BOUNDS,
      [...LABELS, 'gen_ai.token.type'],
      '{token}',
    ),
    duration: metrics.histogram(
      'gen_ai.client.operation.duration',
      'Duration of a call in seconds, retries included; error.type is empty for a call that succeeded.',
      DURATION_BOUNDS_S,
      [...LABELS, 'error.type'],
      's',
    ),
    firstChunk: metrics.histogram(
      'gen_ai.client.operation.time_to_first_chunk',
      'Time from sending a streaming call to its first content, in seconds.',
      FIRST_CHUNK_BOUNDS_S,
      LABELS,
      's',
    ),
  };
}

class ModelCells implements GenAiModel {
  readonly #histograms: Histograms;
  readonly #provider: string;
  readonly #model: string;
  readonly #operations = new Map<NativeOperation, OperationCells>();

  constructor(histograms: Histograms, provider: string, model: string) {
    this.#histograms = histograms;
    this.#provider = provider;
    this.#model = model;
  }

  ended(
    operation: NativeOperation,
    code: string,
    latencyMs: number,
    used: Usage | undefined,
  ): void {
    const { tokens, duration } = this.#histograms;
    const cells = this.#cellsOf(operation);
    observe(duration, this.#durationCell(cells, operation, code), latencyMs / 1000);
    if (!used || code !== 'OK') return;
    observe(tokens, cells.input, inputTokensOf(used));
    observe(tokens, cells.output, used.outputTokens);
  }

  firstChunk(operation: NativeOperation, waitedMs: number): void {
    observe(this.#histograms.firstChunk, this.#cellsOf(operation).firstChunk, waitedMs / 1000);
  }

  #cellsOf(operation: NativeOperation): OperationCells {
    const known = this.#operations.get(operation);
    if (known) return known;
    const { tokens, firstChunk } = this.#histograms;
    const labels = this.#labelsOf(operation);
    const cells = {
      input: tokens.cell(...labels, 'input'),
      output: tokens.cell(...labels, 'output'),
      firstChunk: firstChunk.cell(...labels),
      durations: new Map<string, HistogramCell>(),
    };
    this.#operations.set(operation, cells);
    return cells;
  }

  #durationCell(
    { durations }: OperationCells,
    operation: NativeOperation,
    code: string,
  ): HistogramCell {
    const known = durations.get(code);
    if (known) return known;
    const errorType = code === 'OK' ? '' : code;
    const cell = this.#histograms.duration.cell(...this.#labelsOf(operation), errorType);
    durations.set(code, cell);
    return cell;
  }

  #labelsOf(operation: NativeOperation): [string, string, string] {
    return [OPERATION_NAMES[operation], this.#provider, this.#model];
  }
}

/** Cached tokens are part of the input tokens of the conventions. */
function inputTokensOf(used: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = used;
  return inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
}

/** `gen_ai.operation.name` by the conventions, where they have a name. */
export const OPERATION_NAMES: Readonly<Record<NativeOperation, string>> = {
  messages: 'chat',
  chat: 'chat',
  responses: 'chat',
  compact: 'compact',
  generate: 'generate_content',
  embeddings: 'embeddings',
  count_tokens: 'count_tokens',
};
