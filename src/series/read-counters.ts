// This process's totals since its start, read from the metrics that the features count anyway: sampling adds nothing to the
// path of a request. A metric that is not registered (a process without a gateway or without workers) counts zero.

import type { Metric, Metrics } from '../kernel/metrics.ts';
import { EMPTY_SAMPLE, LATENCY_BINS, LATENCY_BOUNDS_MS, type Sample } from './sample.ts';

const NANOS_PER_USD = 1_000_000_000;
/** Outcomes of a request that are not failures of the gateway or of a provider. */
const NO_FAILURE: ReadonlySet<string> = new Set(['OK', 'CLIENT_GONE']);
/** Types of the metric `ai.tokens` that are part of a request. */
const INPUT_TYPES = ['input', 'cache_read', 'cache_write'];

export function readCounters(metrics: Pick<Metrics, 'find'>): Sample {
  const tokens = metrics.find('ai.tokens');
  return {
    ...EMPTY_SAMPLE,
    ...readOutcomes(metrics.find('ai.request.count')),
    rateLimited: sumOf(metrics.find('ai.rate_limit.exceeded')),
    latency: readLatency(metrics.find('ai.latency')),
    inputTokens: INPUT_TYPES.reduce((sum, type) => sum + sumOf(tokens, { type }), 0),
    outputTokens: sumOf(tokens, { type: 'output' }),
    costNanos: Math.round(sumOf(metrics.find('ai.cost.usd')) * NANOS_PER_USD),
    retries: sumOf(metrics.find('ai.retry.count')),
    jobsIn: sumOf(metrics.find('jobs.submitted')),
    jobsOut: sumOf(metrics.find('worker.processing.success')),
    jobsFailed: sumOf(metrics.find('worker.processing.failed')),
    jobsDelayed:
      sumOf(metrics.find('dispatcher.ratelimit.delayed')) +
      sumOf(metrics.find('worker.ratelimit.requeued')),
  };
}

function readOutcomes(metric: Metric | undefined): Pick<Sample, 'requests' | 'errors'> {
  const errors: Record<string, number> = {};
  let requests = 0;
  for (const [labels, value] of seriesOf(metric)) {
    const code = labels['code'] ?? '';
    requests += value;
    if (!NO_FAILURE.has(code)) errors[code] = (errors[code] ?? 0) + value;
  }
  return { requests, errors };
}

/** The metric's bins in seconds become the stored bins, even if their bounds differ. */
function readLatency(metric: Metric | undefined): readonly number[] {
  const latency = Array.from({ length: LATENCY_BINS }, () => 0);
  if (metric?.kind !== 'histogram') return latency;
  const bins = [...metric.bounds, Number.POSITIVE_INFINITY].map((bound) => binOf(bound * 1000));
  for (const { cell } of metric.series.values())
    for (const [index, count] of cell.counts.entries()) {
      const bin = bins[index] ?? LATENCY_BINS - 1;
      latency[bin] = (latency[bin] ?? 0) + count;
    }
  return latency;
}

function binOf(boundMs: number): number {
  const bin = LATENCY_BOUNDS_MS.findIndex((bound) => boundMs <= bound);
  return bin < 0 ? LATENCY_BINS - 1 : bin;
}

function sumOf(metric: Metric | undefined, wanted: Readonly<Record<string, string>> = {}): number {
  let sum = 0;
  for (const [labels, value] of seriesOf(metric))
    if (Object.entries(wanted).every(([name, text]) => labels[name] === text)) sum += value;
  return sum;
}

/** Labels by name and value of each series; the value of a histogram is its sum. */
function* seriesOf(metric: Metric | undefined): Iterable<[Record<string, string>, number]> {
  if (!metric) return;
  for (const { labels, cell } of metric.series.values()) {
    const named = Object.fromEntries(
      metric.labelNames.map((name, index) => [name, labels[index] ?? '']),
    );
    yield [named, 'value' in cell ? cell.value : cell.sum];
  }
}
