// Renders the metrics registry in the Prometheus text format. Dots become underscores, in
// the names of metrics and of labels alike; counters end in `_total`.

import type { HistogramCell, Metric, Metrics, Series } from '../kernel/metrics.ts';

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function renderPrometheus(metrics: Metrics): string {
  return metrics.collect().map(renderMetric).join('');
}

function renderMetric(metric: Metric): string {
  const name = metricName(metric);
  const head = `# HELP ${name} ${metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${metric.kind}\n`;
  if (metric.kind === 'histogram') {
    const rows = [...metric.series.values()].map((series) =>
      histogramRows(name, metric.labelNames, metric.bounds, series),
    );
    return head + rows.join('');
  }
  const rows = [...metric.series.values()].map(
    ({ labels, cell }) => `${name}${labelText(metric.labelNames, labels)} ${cell.value}\n`,
  );
  return head + rows.join('');
}

/** The name of a metric in the Prometheus form, which dashboards and alert rules use. */
export function metricName(metric: Pick<Metric, 'name' | 'kind'>): string {
  const name = plainName(metric.name);
  return metric.kind === 'counter' && !name.endsWith('_total') ? `${name}_total` : name;
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

function histogramRows(
  name: string,
  labelNames: readonly string[],
  bounds: readonly number[],
  { labels, cell }: Series<HistogramCell>,
): string {
  let cumulative = 0;
  let rows = '';
  for (const [index, count] of cell.counts.entries()) {
    cumulative += count;
    const bound = bounds[index] ?? '+Inf';
    rows += `${name}_bucket${labelText([...labelNames, 'le'], [...labels, String(bound)])} ${cumulative}\n`;
  }
  const text = labelText(labelNames, labels);
  return `${rows}${name}_sum${text} ${cell.sum}\n${name}_count${text} ${cell.count}\n`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  const pairs = names.map(
    (name, index) => `${plainName(name)}="${escapeLabel(values[index] ?? '')}"`,
  );
  return `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
