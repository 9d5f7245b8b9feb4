// The geometry of spending by model and day: one stacked bar per day, the costliest model at the bottom.

import type { SpendByModel } from '../../../api/money.ts';
import { linearScale, niceTicks } from '../scale.ts';
import { seriesTone, type Tone } from '../tone.ts';

export type SpendSegment = {
  readonly key: string;
  readonly model: string;
  readonly day: number;
  readonly usd: number;
  readonly tone: Tone;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type SpendPicture = {
  readonly segments: readonly SpendSegment[];
  readonly valueTicks: readonly { readonly y: number; readonly value: number }[];
  readonly dayTicks: readonly { readonly x: number; readonly at: number }[];
};

const LEFT = 52;
const RIGHT = 20;
const TOP = 12;
const BOTTOM = 26;
const MAX_BAR_PX = 36;
const DAY_LABEL_PX = 56;

export function spendLayout(data: SpendByModel, width: number, height: number): SpendPicture {
  const totals = dayTotals(data);
  const ticks = niceTicks(Math.max(...totals, 0), 4);
  const y = linearScale([0, ticks.at(-1) ?? 1], [height - BOTTOM, TOP]);
  const slot = (width - LEFT - RIGHT) / Math.max(1, data.days.length);
  const bar = Math.max(2, Math.min(MAX_BAR_PX, slot * 0.72));
  const segments: SpendSegment[] = [];
  for (const [index, day] of data.days.entries()) {
    let below = 0;
    for (const [position, { model, costUsd }] of data.models.entries()) {
      const usd = costUsd[index] ?? 0;
      if (usd <= 0) continue;
      const [from, to] = [y(below), y(below + usd)];
      below += usd;
      segments.push({
        key: `${day} ${model}`,
        model,
        day,
        usd,
        tone: seriesTone(position),
        x: LEFT + slot * index + (slot - bar) / 2,
        y: to,
        width: bar,
        height: Math.max(0.5, from - to),
      });
    }
  }
  const every = Math.max(1, Math.ceil(DAY_LABEL_PX / slot));
  return {
    segments,
    valueTicks: ticks.map((value) => ({ value, y: y(value) })),
    dayTicks: data.days
      .map((at, index) => ({ at, x: LEFT + slot * (index + 0.5) }))
      .filter((_, index) => (data.days.length - 1 - index) % every === 0),
  };
}

export function dayTotals({ days, models }: SpendByModel): readonly number[] {
  return days.map((_, index) =>
    models.reduce((sum, { costUsd }) => sum + (costUsd[index] ?? 0), 0),
  );
}
