// Prepares the data of a time series: stacking, the value under the pointer, the sentence for screen readers. Gaps are
// `null` and stay `null`: a chart never invents a value between two samples.

import { durationText, minuteText } from './figure-text.ts';
import type { Tone } from './tone.ts';

export type SeriesLine = {
  readonly label: string;
  /** One value per time; `null` where there is no sample. */
  readonly values: readonly (number | null)[];
  readonly tone: Tone;
};

export type SeriesData = {
  /** Start of each bucket, epoch milliseconds, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly SeriesLine[];
};

/** The rows that a stacked chart draws, top layer first, because a later series is drawn over an earlier one. */
export function stackLines(lines: readonly SeriesLine[], length: number): (number | null)[][] {
  const sums: (number | null)[] = Array.from({ length }, () => null);
  const layers = lines.map(({ values }) => {
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? null;
      if (value !== null) sums[index] = (sums[index] ?? 0) + value;
    }
    return [...sums];
  });
  return layers.toReversed();
}

/** The largest value that the chart has to show, thresholds excluded. */
export function largestValue(rows: readonly (readonly (number | null)[])[]): number {
  let largest = 0;
  for (const row of rows) for (const value of row) if ((value ?? 0) > largest) largest = value ?? 0;
  return largest;
}

export function hasValues({ lines }: SeriesData): boolean {
  return lines.some(({ values }) => values.some((value) => value !== null));
}

/** Distance between two buckets; one minute where there is only one. */
export function bucketMs({ times }: SeriesData): number {
  const [first, second] = times;
  return first === undefined || second === undefined ? 60_000 : Math.max(1000, second - first);
}

/** "per minute", "per 30 min": the time that one value of the series stands for. */
export function bucketText(ms: number): string {
  return ms === 60_000 ? 'per minute' : `per ${durationText(ms)}`;
}

/** The sum of a line; undefined if it has no sample. */
export function totalOf(values: readonly (number | null)[]): number | undefined {
  let total: number | undefined;
  for (const value of values) if (value !== null) total = (total ?? 0) + value;
  return total;
}

/** The last sample of a line and its index. */
export function latestValue(values: readonly (number | null)[]): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined;
}

/** "14:05: requests 42, errors no data". */
export function pointText(
  data: SeriesData,
  index: number,
  format: (value: number) => string,
  timeText: (atMs: number) => string = minuteText,
): string {
  const at = data.times[index];
  if (at === undefined) return 'no data';
  const figures = data.lines.map(({ label, values }) => {
    const value = values[index] ?? null;
    return `${label} ${value === null ? 'no data' : format(value)}`;
  });
  return `${timeText(at)}: ${figures.join(', ')}`;
}

/** The chart in one sentence per line: latest and highest value. */
export function summaryText(data: SeriesData, format: (value: number) => string): string {
  const sentences = data.lines.map(({ label, values }) => {
    const latest = latestValue(values);
    if (latest === undefined) return `${label}: no data.`;
    const highest = largestValue([values]);
    const at = data.times[values.indexOf(highest)];
    const peak = at === undefined ? '' : `, highest ${format(highest)} at ${minuteText(at)}`;
    return `${label}: latest ${format(latest)}${peak}.`;
  });
  return sentences.join(' ');
}
