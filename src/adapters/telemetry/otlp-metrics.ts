// Exports the metrics registry over OTLP/HTTP at an interval. The registry is the only source: a producer converts its cells,
// and the SDK has no instruments of its own. While the collector is unavailable an export is dropped; values are cumulative,
// so the next one includes it.

import { type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Clock } from '../../kernel/clock.ts';
import type { Histogram, Metric, Metrics, Series } from '../../kernel/metrics.ts';

export type OtlpMetricsOptions = {
  readonly url: string;
  readonly resource: Resource;
  readonly version: string;
  readonly intervalMs: number;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
};

const MAX_EXPORT_MS = 10_000;

/** Closing exports once more. */
export function startOtlpMetrics(options: OtlpMetricsOptions): { close(): Promise<void> } {
  const { url, resource, intervalMs } = options;
  const provider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url }),
        exportIntervalMillis: intervalMs,
        exportTimeoutMillis: Math.min(intervalMs, MAX_EXPORT_MS),
        metricProducers: [createProducer(options)],
      }),
    ],
  });
  return { close: () => provider.shutdown().catch(() => {}) };
}

/** The registry as the SDK's data model. */
function createProducer(
  given: Pick<OtlpMetricsOptions, 'metrics' | 'resource' | 'version' | 'clock'>,
): MetricProducer {
  const { metrics, resource, version, clock } = given;
  const startTime = timeOf(clock.now());
  return {
    collect: async () => {
      const span = { startTime, endTime: timeOf(clock.now()) };
      const data = metrics
        .collect()
        .filter(({ series }) => series.size > 0)
        .map((metric) => dataOf(metric, span));
      const scopeMetrics = [{ scope: { name: 'spillway', version }, metrics: data }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

type TimeSpan = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

function dataOf(metric: Metric, span: TimeSpan): MetricData {
  const { name, help: description, unit } = metric;
  const base = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (metric.kind === 'histogram')
    return {
      ...base,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [...metric.series.values()].map((series) => histogramPoint(metric, series, span)),
    };
  const dataPoints = [...metric.series.values()].map((series) => ({
    ...span,
    attributes: attributesOf(metric, series),
    value: series.cell.value,
  }));
  if (metric.kind === 'gauge') return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function histogramPoint(
  metric: Histogram,
  series: Series<ReturnType<Histogram['cell']>>,
  span: TimeSpan,
) {
  const { counts, sum, count } = series.cell;
  const buckets = { boundaries: [...metric.bounds], counts: [...counts] };
  return { ...span, attributes: attributesOf(metric, series), value: { buckets, sum, count } };
}

/** An empty label is an absent attribute. */
function attributesOf(
  { labelNames }: Pick<Metric, 'labelNames'>,
  { labels }: Series<unknown>,
): Record<string, string> {
  const pairs = labelNames.map((name, index) => [name, labels[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function timeOf(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1000);
  return [seconds, Math.round((epochMs - seconds * 1000) * 1e6)];
}
