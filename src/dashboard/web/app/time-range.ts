// The time range of the top bar, in the URL: `range=24h`, or `from` and `to` in epoch milliseconds.

import { computed } from '@preact/signals';
import type { RangeName } from '../../api/time-series.ts';
import { route, setParams } from './router.ts';

export type ShownRange =
  | { readonly kind: 'named'; readonly name: RangeName }
  | { readonly kind: 'custom'; readonly from: number; readonly to: number };

export const RANGES: readonly { readonly name: RangeName; readonly text: string }[] = [
  { name: '15m', text: '15 min' },
  { name: '1h', text: '1 h' },
  { name: '24h', text: '24 h' },
  { name: '7d', text: '7 d' },
];

const DEFAULT_RANGE: RangeName = '1h';

export function parseRange(params: Readonly<Record<string, string>>): ShownRange {
  const [from, to] = [Number(params.from), Number(params.to)];
  if (from > 0 && to > from) return { kind: 'custom', from, to };
  const name = RANGES.find((range) => range.name === params.range)?.name ?? DEFAULT_RANGE;
  return { kind: 'named', name };
}

export const shownRange = computed(() => parseRange(route.value.params));

/** The query of endpoints that take a range: `range=1h`. */
export const rangeQuery = computed(() => {
  const range = shownRange.value;
  return range.kind === 'named' ? `range=${range.name}` : `from=${range.from}&to=${range.to}`;
});

export function chooseRange(name: RangeName): void {
  setParams({ range: name === DEFAULT_RANGE ? '' : name, from: '', to: '' });
}

/** A zoom into a chart, or times of the form. */
export function chooseCustomRange(from: number, to: number): void {
  setParams({ range: '', from: String(Math.floor(from)), to: String(Math.ceil(to)) });
}
