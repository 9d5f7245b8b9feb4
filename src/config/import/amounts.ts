// Converts a peer's periods into Spillway's: budgets count per calendar month, requests per minute, tokens per minute or
// day. A conversion that is not exact never admits more over the peer's period than the peer did, except for a budget
// of less than a month, which has no counterpart; the reason states the difference.

const MINUTE = 60;
const DAY = 86_400;
const MONTH = 30 * DAY;

export type Converted = {
  readonly amount: number;
  /** Absent for an exact conversion. */
  readonly reason?: string;
};

/** Seconds of "30d", "1h", "1mo" (LiteLLM) or "1M", "1w", "1Q" (Bifrost); undefined if it is not a period. */
export function periodSeconds(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})\s*(s|m|h|d|w|mo|M|Q|Y|y)$/.exec(text.trim()) ?? [];
  const seconds = UNIT_SECONDS.get(unit);
  return seconds === undefined ? undefined : Number(digits) * seconds;
}

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', MINUTE],
  ['h', 3600],
  ['d', DAY],
  ['w', 7 * DAY],
  ['mo', MONTH],
  ['M', MONTH],
  ['Q', 3 * MONTH],
  ['Y', 365 * DAY],
  ['y', 365 * DAY],
]);

/** `period` is undefined for a budget that never resets. */
export function monthlyBudget(usd: number, period: string | undefined): Converted | undefined {
  if (period === undefined)
    return { amount: toMicros(usd), reason: 'it never resets there; here it resets each month' };
  const seconds = periodSeconds(period);
  if (seconds === undefined || seconds === 0) return undefined;
  if (seconds >= 28 * DAY && seconds <= 31 * DAY) return { amount: toMicros(usd) };
  return {
    amount: toMicros((usd * MONTH) / seconds),
    reason: `${usd} US dollars per ${period} become their equivalent per calendar month`,
  };
}

export function perMinute(limit: number, period: string): Converted | undefined {
  const seconds = periodSeconds(period);
  if (seconds === undefined || seconds === 0) return undefined;
  if (seconds === MINUTE) return { amount: Math.max(1, Math.floor(limit)) };
  return {
    amount: Math.max(1, Math.floor((limit * MINUTE) / seconds)),
    reason: `${limit} per ${period} become their equivalent per minute`,
  };
}

export type TokenLimit = Converted & { readonly setting: 'tokensPerMinute' | 'tokensPerDay' };

export function tokenLimit(limit: number, period: string): TokenLimit | undefined {
  if (periodSeconds(period) === DAY)
    return { setting: 'tokensPerDay', amount: Math.max(1, Math.floor(limit)) };
  const converted = perMinute(limit, period);
  return converted && { setting: 'tokensPerMinute', ...converted };
}

/** A millionth of a dollar is exact enough for any budget, and prints without an exponent. */
function toMicros(usd: number): number {
  return Number(usd.toFixed(6));
}
