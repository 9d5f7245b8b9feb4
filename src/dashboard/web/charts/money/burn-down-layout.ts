// The geometry of a budget's burn-down: the remaining budget from the start of the month to now, the forecast as a line
// to the month's end, and where that line crosses zero. Without a budget the picture shows the cumulative spending
// instead.

import type { BurnDown } from '../../../api/money.ts';
import { linearScale, niceTicks } from '../scale.ts';

export type BurnDownPicture = {
  readonly width: number;
  readonly height: number;
  /** Path of the remaining money (or of the spent money, without a budget) until now. */
  readonly line: string;
  readonly area: string;
  /** From now to the month's end or to the crossing; absent without a forecast. */
  readonly forecast: string | undefined;
  /** The even use of the budget over the month. */
  readonly even: string | undefined;
  readonly now: { readonly x: number; readonly y: number };
  readonly crossing: { readonly x: number; readonly y: number; readonly at: number } | undefined;
  readonly zeroY: number;
  readonly valueTicks: readonly { readonly y: number; readonly value: number }[];
  readonly dayTicks: readonly { readonly x: number; readonly at: number }[];
};

const LEFT = 52;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 26;
const DAY_MS = 86_400_000;

export function burnDownLayout(
  data: BurnDown,
  nowMs: number,
  width: number,
  height: number,
): BurnDownPicture {
  const hasBudget = data.monthlyBudgetUsd > 0;
  const left = (spent: number) => (hasBudget ? data.monthlyBudgetUsd - spent : spent);
  const top = hasBudget
    ? data.monthlyBudgetUsd
    : Math.max(data.spentUsd, data.forecast?.monthEndUsd ?? 0, 0.01);
  const ticks = niceTicks(top, 4);
  const overspent = hasBudget ? Math.min(0, left(data.spentUsd)) : 0;
  const x = linearScale([data.monthStartsAt, data.monthEndsAt], [LEFT, width - RIGHT]);
  const y = linearScale([overspent, ticks.at(-1) ?? top], [height - BOTTOM, TOP]);
  const now = { x: x(clampTime(nowMs, data)), y: y(left(data.spentUsd)) };
  const points = [
    { x: x(data.monthStartsAt), y: y(left(0)) },
    ...data.days
      .filter(({ at }) => at < nowMs)
      .map(({ at, cumulativeUsd }) => ({ x: x(clampTime(at, data)), y: y(left(cumulativeUsd)) })),
    now,
  ];
  const line = path(points);
  return {
    width,
    height,
    line,
    area: `${line} L${now.x} ${y(0)} L${x(data.monthStartsAt)} ${y(0)} Z`,
    now,
    ...forecastLine(data, hasBudget, x, y, now),
    even: hasBudget
      ? path([
          { x: x(data.monthStartsAt), y: y(data.monthlyBudgetUsd) },
          { x: x(data.monthEndsAt), y: y(0) },
        ])
      : undefined,
    zeroY: y(0),
    valueTicks: ticks.map((value) => ({ value, y: y(value) })),
    dayTicks: dayTicks(data, x, width),
  };
}

/** The burn-down in one sentence, for the heading and for screen readers. */
export function burnDownState(data: BurnDown): 'used' | 'crosses' | 'lasts' | 'no-budget' {
  if (data.monthlyBudgetUsd <= 0) return 'no-budget';
  if (data.remainingUsd <= 0) return 'used';
  return (data.forecast?.exhaustedAt ?? null) === null ? 'lasts' : 'crosses';
}

function forecastLine(
  data: BurnDown,
  hasBudget: boolean,
  x: (at: number) => number,
  y: (usd: number) => number,
  now: { readonly x: number; readonly y: number },
): Pick<BurnDownPicture, 'forecast' | 'crossing'> {
  const { forecast, monthlyBudgetUsd } = data;
  if (forecast === null) return { forecast: undefined, crossing: undefined };
  if (hasBudget && forecast.exhaustedAt !== null) {
    const crossing = {
      x: x(clampTime(forecast.exhaustedAt, data)),
      y: y(0),
      at: forecast.exhaustedAt,
    };
    return { forecast: path([now, crossing]), crossing };
  }
  const value = hasBudget
    ? Math.max(0, monthlyBudgetUsd - forecast.monthEndUsd)
    : forecast.monthEndUsd;
  return { forecast: path([now, { x: x(data.monthEndsAt), y: y(value) }]), crossing: undefined };
}

function dayTicks(data: BurnDown, x: (at: number) => number, width: number) {
  const days = Math.round((data.monthEndsAt - data.monthStartsAt) / DAY_MS);
  const every = width < 420 ? 10 : 5;
  return Array.from({ length: Math.ceil(days / every) }, (_, index) => {
    const at = data.monthStartsAt + index * every * DAY_MS;
    return { at, x: x(at) };
  });
}

function clampTime(at: number, { monthStartsAt, monthEndsAt }: BurnDown): number {
  return Math.min(monthEndsAt, Math.max(monthStartsAt, at));
}

function path(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points
    .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`)
    .join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
