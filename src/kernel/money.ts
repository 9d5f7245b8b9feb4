// Money is whole nano-dollars (1 USD = 1,000,000,000) in plain numbers, exact up to nine million dollars; it
// is never a float of dollars inside of the program. Prices are whole nano-dollars per million tokens. Dollars
// appear at the edges: decimal text or JSON numbers coming in, JSON numbers and text going out.

/** A whole number of nano-dollars. */
export type Nanos = number;

export const NANOS_PER_USD = 1_000_000_000;

/**
 * Dollars as written (`"12.5"`, `0.25`, `1e-7`) in nano-dollars, without a float on the way; what is finer than a
 * nano-dollar is rounded to the nearest. Throws a RangeError for what is no amount or too large.
 */
export function usdToNanos(usd: string | number): Nanos {
  const parts = AMOUNT.exec(String(usd).trim());
  if (!parts) throw new RangeError(`${usd} is not an amount of dollars`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent) + 9 - fraction.length;
  if (Math.abs(shift) > MAX_SHIFT) throw new RangeError(`${usd} is not an amount of dollars`);
  const digits = BigInt(whole + fraction || '0');
  const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : nearest(digits, 10n ** BigInt(-shift));
  if (nanos > MAX_NANOS) throw new RangeError(`${usd} dollars are more than can be counted`);
  return sign === '-' && nanos > 0n ? -Number(nanos) : Number(nanos);
}

/** For JSON. Exact for reading back below four million dollars. */
export function nanosToUsd(nanos: Nanos): number {
  return nanos / NANOS_PER_USD;
}

/** All digits that count and at least cents, never an exponent: `0.00`, `12.50`, `-0.000000001`. */
export function usdText(nanos: Nanos): string {
  const size = Math.abs(nanos);
  const rest = size % NANOS_PER_USD;
  const decimals = String(rest)
    .padStart(9, '0')
    .replace(/0{1,7}$/, '');
  return `${nanos < 0 ? '-' : ''}${(size - rest) / NANOS_PER_USD}.${decimals}`;
}

/** For people: `$12.50`, `-$0.000000001`. */
export function formatUsd(nanos: Nanos): string {
  return nanos < 0 ? `-$${usdText(-nanos)}` : `$${usdText(nanos)}`;
}

/** What one token costs: whole nano-dollars and millionths of one, so that products stay exact. */
export type TokenRate = { readonly nanos: number; readonly millionths: number };

export function rateOf(nanosPerMillion: Nanos): TokenRate {
  const millionths = nanosPerMillion % 1_000_000;
  return { nanos: (nanosPerMillion - millionths) / 1_000_000, millionths };
}

/** Up to this many tokens at up to this price, sums of products stay below 2^53. */
export const PLAIN_TOKENS = 50_000_000;
export const HIGHEST_PER_MILLION: Nanos = 10_000 * NANOS_PER_USD;

/** `count` tokens at a rate, rounded up to a whole nano-dollar. */
export function costOfTokens(count: number, rate: TokenRate): Nanos {
  if (count > PLAIN_TOKENS) return costOfMany(count, rate);
  return count * rate.nanos + ceilMillionths(count * rate.millionths);
}

/** Millionths of a nano-dollar in whole ones, rounded up; exact where a division of floats is not. */
export function ceilMillionths(millionths: number): Nanos {
  const rest = millionths % 1_000_000;
  return (millionths - rest) / 1_000_000 + (rest > 0 ? 1 : 0);
}

const AMOUNT = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/;
const MAX_SHIFT = 400;
const MAX_NANOS = BigInt(Number.MAX_SAFE_INTEGER);

function nearest(digits: bigint, divisor: bigint): bigint {
  return (2n * digits + divisor) / (2n * divisor);
}

function costOfMany(count: number, rate: TokenRate): Nanos {
  const perMillion = BigInt(rate.nanos) * 1_000_000n + BigInt(rate.millionths);
  const cost = (BigInt(count) * perMillion + 999_999n) / 1_000_000n;
  return Number(cost < MAX_NANOS ? cost : MAX_NANOS);
}
