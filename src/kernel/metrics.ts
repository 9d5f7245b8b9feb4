// A registry of counters, gauges and histograms. The hot path looks up its cell once and then adds to a number: no
// allocation and no hashing per request. http/prometheus.ts renders the registry. Cardinality is bounded: past
// MAX_SERIES label sets, further label sets share a cell labelled `other`.

const MAX_SERIES = 500;

export type Cell = { value: number };

export type HistogramCell = {
  /** One count per upper bound, the last for values above all bounds. */
  readonly counts: number[];
  sum: number;
  count: number;
};

export type Counter = { readonly kind: 'counter' } & Family<Cell>;
export type Gauge = { readonly kind: 'gauge' } & Family<Cell>;
export type Histogram = {
  readonly kind: 'histogram';
  readonly bounds: readonly number[];
} & Family<HistogramCell>;
export type Metric = Counter | Gauge | Histogram;

type Family<C> = {
  readonly name: string;
  /** A noun phrase with its unit. */
  readonly help: string;
  /** In UCUM, as OTLP states it: `s`, `ms`, `By`, `{token}`, `USD`; `1` for a plain number. */
  readonly unit: string;
  readonly labelNames: readonly string[];
  readonly series: ReadonlyMap<string, Series<C>>;
  /** The cell for these label values, in the order of `labelNames`; hot paths keep the cell. */
  cell(...labels: string[]): C;
};

export type Series<C> = { readonly labels: readonly string[]; readonly cell: C };

export type Metrics = {
  counter(name: string, help: string, labelNames?: readonly string[], unit?: string): Counter;
  gauge(name: string, help: string, labelNames?: readonly string[], unit?: string): Gauge;
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames?: readonly string[],
    unit?: string,
  ): Histogram;
  /** Called before each rendering, to set gauges from values that are stored elsewhere. */
  onCollect(fn: () => void): void;
  collect(): readonly Metric[];
  /** A registered metric, without calling the collectors; undefined for an unknown name. */
  find(name: string): Metric | undefined;
};

export function createMetrics(): Metrics {
  const metrics = new Map<string, Metric>();
  const collectors: (() => void)[] = [];

  function register<M extends Metric>(metric: M): M {
    if (metrics.has(metric.name)) throw new Error(`metric ${metric.name} is registered twice`);
    metrics.set(metric.name, metric);
    return metric;
  }

  return {
    counter: (name, help, labelNames = [], unit = '1') =>
      register({ kind: 'counter', ...family({ name, help, unit, labelNames }, newCell) }),
    gauge: (name, help, labelNames = [], unit = '1') =>
      register({ kind: 'gauge', ...family({ name, help, unit, labelNames }, newCell) }),
    histogram: (name, help, bounds, labelNames = [], unit = '1') =>
      register({
        kind: 'histogram',
        bounds,
        ...family({ name, help, unit, labelNames }, () => newHistogramCell(bounds.length)),
      }),
    onCollect: (fn) => void collectors.push(fn),
    collect() {
      for (const fn of collectors) fn();
      return [...metrics.values()];
    },
    find: (name) => metrics.get(name),
  };
}

/** Adds one measurement to a histogram's cell. */
export function observe(histogram: Histogram, cell: HistogramCell, value: number): void {
  const { bounds } = histogram;
  let index = 0;
  while (index < bounds.length && value > (bounds[index] ?? Number.POSITIVE_INFINITY)) index += 1;
  cell.counts[index] = (cell.counts[index] ?? 0) + 1;
  cell.sum += value;
  cell.count += 1;
}

function family<C>(
  described: Pick<Family<C>, 'name' | 'help' | 'unit' | 'labelNames'>,
  create: () => C,
): Family<C> {
  const { name, labelNames } = described;
  const series = new Map<string, Series<C>>();
  const overflow = labelNames.map(() => 'other');

  function cell(...labels: string[]): C {
    const key = labels.join('\u0000');
    const known = series.get(key);
    if (known) return known.cell;
    if (labels.length !== labelNames.length)
      throw new Error(`metric ${name} takes ${labelNames.length} labels`);
    if (series.size >= MAX_SERIES && key !== overflow.join('\u0000')) return cell(...overflow);
    const made = { labels, cell: create() };
    series.set(key, made);
    return made.cell;
  }

  return { ...described, series, cell };
}

function newCell(): Cell {
  return { value: 0 };
}

function newHistogramCell(bounds: number): HistogramCell {
  return { counts: Array.from({ length: bounds + 1 }, () => 0), sum: 0, count: 0 };
}
