// The readings of money: spending today and this month, by model and day, and the organisations that will exhaust their
// budgets first. All come from roll-ups; the organisations are read in slices, so that no statement takes long.

import { calendarMonth } from '../../kernel/calendar/calendar-month.ts';
import type { Clock } from '../../kernel/clock.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { HourSpend, Spender, SpendStore } from '../../metering/spend/spend-store.ts';
import type { OrganizationSpend, SpendByModel } from '../api/money.ts';
import type { Spend } from '../api/overview.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RATE_SPAN_MS = 7 * DAY_MS;
const SLICE = 1000;
/** Ranked organisations; more are counted, not listed. */
const MAX_RANKED = 1000;
/** The top organisations that get a forecast from their own last days. */
const MAX_FORECAST = 200;
const MAX_MODELS = 12;
const MAX_DAYS = 31;

export async function readSpend(
  store: Pick<SpendStore, 'hours' | 'rollUpHour'>,
  now: number,
): Promise<Spend> {
  const month = calendarMonth(now, 'UTC');
  await store.rollUpHour(now - (now % HOUR_MS));
  const today = now - (now % DAY_MS);
  const hours = await store.hours(month.startsAt, month.endsAt);
  const monthUsd = usdOf(hours);
  const elapsedMs = now - month.startsAt;
  const forecast = (monthUsd * (month.endsAt - month.startsAt)) / elapsedMs;
  return {
    todayUsd: usdOf(hours.filter(({ hourStart }) => hourStart >= today)),
    monthUsd,
    forecastMonthUsd: elapsedMs < DAY_MS ? null : round(forecast),
  };
}

export async function readSpendByModel(
  store: Pick<SpendStore, 'hours' | 'organizationDays'>,
  range: { readonly from: number; readonly to: number },
  organizationId: string | undefined,
): Promise<SpendByModel> {
  const to = Math.ceil(range.to / DAY_MS) * DAY_MS;
  const from = Math.max(0, Math.floor(range.from / DAY_MS) * DAY_MS, to - MAX_DAYS * DAY_MS);
  const rows =
    organizationId === undefined
      ? await store.hours(from, to)
      : await store.organizationDays(organizationId, from, to);
  const count = Math.max(0, Math.round((to - from) / DAY_MS));
  const days = Array.from({ length: count }, (_, day) => from + day * DAY_MS);
  return { from, to, days, models: byModel(rows, from, days.length), totalUsd: usdOf(rows) };
}

function byModel(
  rows: readonly HourSpend[],
  from: number,
  dayCount: number,
): SpendByModel['models'] {
  const totals = new Map<string, number>();
  for (const { model, costNanos } of rows) totals.set(model, (totals.get(model) ?? 0) + costNanos);
  const ranked = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const named = new Set(ranked.length > MAX_MODELS ? ranked.slice(0, MAX_MODELS - 1) : ranked);
  const columns = new Map<string, number[]>();
  for (const { model, hourStart, costNanos } of rows) {
    const name = named.has(model) ? model : 'other';
    const column = columns.get(name) ?? Array.from({ length: dayCount }, () => 0);
    const day = Math.floor((hourStart - from) / DAY_MS);
    if (day < dayCount) column[day] = (column[day] ?? 0) + costNanos;
    columns.set(name, column);
  }
  const order = [...named, ...(columns.has('other') ? ['other'] : [])];
  return order.map((model) => {
    const column = columns.get(model) ?? [];
    const total = column.reduce((sum, nanos) => sum + nanos, 0);
    return { model, totalUsd: nanosToUsd(total), costUsd: column.map(nanosToUsd) };
  });
}

export type RankedSpenders = {
  readonly data: readonly OrganizationSpend[];
  readonly total: {
    readonly organizations: number;
    readonly spentUsd: number;
    readonly reservedUsd: number;
  };
};

/** The organisations with spending in this month, by the forecast end of their budgets, then by the used share. */
export async function readSpenders(
  store: Pick<SpendStore, 'spenders' | 'spentSince'>,
  clock: Pick<Clock, 'now'>,
): Promise<RankedSpenders> {
  const now = clock.now();
  const { number: month } = calendarMonth(now, 'UTC');
  let ranked: Spender[] = [];
  const total = { organizations: 0, spentNanos: 0, reservedNanos: 0 };
  for (let after = ''; ; ) {
    const slice = await store.spenders(month, after, SLICE);
    const spending = slice.filter((each) => each.postedNanos > 0 || each.reservedNanos > 0);
    for (const each of spending) {
      total.organizations += 1;
      total.spentNanos += each.postedNanos;
      total.reservedNanos += each.reservedNanos;
    }
    ranked = [...ranked, ...spending].toSorted((a, b) => usedShare(b) - usedShare(a));
    ranked.length = Math.min(ranked.length, MAX_RANKED);
    const last = slice.at(-1);
    if (slice.length < SLICE || !last) break;
    after = last.organizationId;
  }
  return {
    data: await forecast(store, ranked, now),
    total: {
      organizations: total.organizations,
      spentUsd: nanosToUsd(total.spentNanos),
      reservedUsd: nanosToUsd(total.reservedNanos),
    },
  };
}

async function forecast(
  store: Pick<SpendStore, 'spentSince'>,
  ranked: readonly Spender[],
  now: number,
): Promise<readonly OrganizationSpend[]> {
  const ids = ranked.slice(0, MAX_FORECAST).map(({ organizationId }) => organizationId);
  const recent = await store.spentSince(ids, now - RATE_SPAN_MS);
  return ranked
    .map((spender) => toOrganizationSpend(spender, recent.get(spender.organizationId), now))
    .toSorted(byUrgency);
}

function toOrganizationSpend(
  spender: Spender,
  recent: { readonly costNanos: number; readonly firstAt: number } | undefined,
  now: number,
): OrganizationSpend {
  const { organizationId, name, budgetNanos, postedNanos, reservedNanos, timeZone } = spender;
  const { endsAt } = calendarMonth(now, timeZone);
  const usedRatio = budgetNanos === 0 ? null : postedNanos / budgetNanos;
  const forecastExhaustedAt = exhaustedAt(budgetNanos - postedNanos, recent, now, endsAt);
  const isOver = postedNanos >= budgetNanos;
  const isNear = forecastExhaustedAt !== null || (usedRatio ?? 0) >= 0.9;
  return {
    organizationId,
    name,
    monthlyBudgetUsd: nanosToUsd(budgetNanos),
    spentUsd: nanosToUsd(postedNanos),
    reservedUsd: nanosToUsd(reservedNanos),
    usedRatio,
    forecastExhaustedAt,
    resetAt: endsAt,
    status: isOver ? 'bad' : isNear ? 'degraded' : 'good',
  };
}

/** At the rate of the last days; null if the month ends first. */
export function exhaustedAt(
  remainingNanos: number,
  recent: { readonly costNanos: number; readonly firstAt: number } | undefined,
  now: number,
  endsAt: number,
): number | null {
  if (remainingNanos <= 0) return now;
  if (!recent || recent.costNanos <= 0) return null;
  const at = Math.round(now + remainingNanos / nanosPerMs(recent, now));
  return at < endsAt ? at : null;
}

export function nanosPerMs(
  recent: { readonly costNanos: number; readonly firstAt: number },
  now: number,
): number {
  return recent.costNanos / Math.max(HOUR_MS, now - recent.firstAt);
}

function byUrgency(one: OrganizationSpend, other: OrganizationSpend): number {
  const [a, b] = [one, other].map((each) => each.forecastExhaustedAt ?? Number.MAX_SAFE_INTEGER);
  return (a ?? 0) - (b ?? 0) || (other.usedRatio ?? 0) - (one.usedRatio ?? 0);
}

function usedShare({ postedNanos, reservedNanos, budgetNanos }: Spender): number {
  return (postedNanos + reservedNanos) / Math.max(1, budgetNanos);
}

function usdOf(rows: readonly HourSpend[]): number {
  return nanosToUsd(rows.reduce((sum, { costNanos }) => sum + costNanos, 0));
}

function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
