// Money is a whole number of nano-dollars (1 USD = 1,000,000,000), exact up to nine million dollars; no calculation
// uses a float of dollars. Prices are whole nano-dollars per million tokens. Dollars appear only in input (decimal text
// or JSON numbers) and output.

/** A whole number of nano-dollars. */
export type Nanos = number;

export const NANOS_PER_USD = 1_000_000_000;

/**
 * Parses dollars (`"12.5"`, `0.25`, `1e-7`) into nano-dollars without float arithmetic, rounded to the nearest
 * nano-dollar. Throws a RangeError for text that is not an amount and for amounts that are too large.
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

/** For JSON. `usdToNanos` restores amounts below four million dollars exactly. */
export function nanosToUsd(nanos: Nanos): number {
  return nanos / NANOS_PER_USD;
}

/** All significant digits, at least cents, never an exponent: `0.00`, `12.50`, `-0.000000001`. */
export function usdText(nanos: Nanos): string {
  const size = Math.abs(nanos);
  const rest = size % NANOS_PER_USD;
  const decimals = String(rest)
    .padStart(9, '0')
    .replace(/0{1,7}$/, '');
  return `${nanos < 0 ? '-' : ''}${(size - rest) / NANOS_PER_USD}.${decimals}`;
}

/** The price of one token in nano-dollars and millionths of a nano-dollar, so that products stay exact. */
export type TokenRate = { readonly nanos: number; readonly millionths: number };

export function rateOf(nanosPerMillion: Nanos): TokenRate {
  const millionths = nanosPerMillion % 1_000_000;
  return { nanos: (nanosPerMillion - millionths) / 1_000_000, millionths };
}

/** Sums of products stay below 2^53 up to this number of tokens at up to this price. */
export const PLAIN_TOKENS = 50_000_000;
export const HIGHEST_PER_MILLION: Nanos = 10_000 * NANOS_PER_USD;

/** `count` tokens at a rate, rounded up to a whole nano-dollar. */
export function costOfTokens(count: number, rate: TokenRate): Nanos {
  if (count > PLAIN_TOKENS) return costOfMany(count, rate);
  return count * rate.nanos + ceilMillionths(count * rate.millionths);
}

/** Converts millionths of a nano-dollar, rounding up; exact where a float division is not. */
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
