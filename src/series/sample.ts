// The figures of one server over one interval: counts only, so that samples of servers and of intervals add up. A latency
// histogram instead of percentiles for the same reason: percentiles do not add up.

/** Upper bounds of the latency bins in milliseconds; a last bin counts everything above. Stored: never change the list. */
export const LATENCY_BOUNDS_MS = [
  50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
] as const;
export const LATENCY_BINS = LATENCY_BOUNDS_MS.length + 1;

const SAMPLE_COUNTS = [
  'requests',
  'inputTokens',
  'outputTokens',
  'costNanos',
  'retries',
  'rateLimited',
  'jobsIn',
  'jobsOut',
  'jobsFailed',
  'jobsDelayed',
] as const;
export type SampleCount = (typeof SAMPLE_COUNTS)[number];

export type Sample = Readonly<Record<SampleCount, number>> & {
  /** Failed requests by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** One count per latency bin. */
  readonly latency: readonly number[];
};

export const EMPTY_SAMPLE: Sample = Object.freeze({
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  costNanos: 0,
  retries: 0,
  rateLimited: 0,
  jobsIn: 0,
  jobsOut: 0,
  jobsFailed: 0,
  jobsDelayed: 0,
  errors: Object.freeze({}),
  latency: Object.freeze(Array.from({ length: LATENCY_BINS }, () => 0)),
});

export function addSamples(a: Sample, b: Sample): Sample {
  return combine(a, b, 1);
}

/** The growth from `before` to `after`. A counter never falls, so a negative difference is a defect and counts as zero. */
export function subtractSample(after: Sample, before: Sample): Sample {
  return combine(after, before, -1);
}

export function isEmptySample(sample: Sample): boolean {
  return (
    SAMPLE_COUNTS.every((name) => sample[name] === 0) &&
    Object.values(sample.errors).every((count) => count === 0)
  );
}

/** The number of failed requests. */
export function errorsOf({ errors }: Pick<Sample, 'errors'>): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

function combine(a: Sample, b: Sample, sign: 1 | -1): Sample {
  const counts = { ...EMPTY_SAMPLE };
  for (const name of SAMPLE_COUNTS) counts[name] = Math.max(0, a[name] + sign * b[name]);
  const errors: Record<string, number> = {};
  for (const code of new Set([...Object.keys(a.errors), ...Object.keys(b.errors)])) {
    const count = (a.errors[code] ?? 0) + sign * (b.errors[code] ?? 0);
    if (count > 0) errors[code] = count;
  }
  const latency = a.latency.map((count, bin) => Math.max(0, count + sign * (b.latency[bin] ?? 0)));
  return { ...counts, errors, latency };
}
