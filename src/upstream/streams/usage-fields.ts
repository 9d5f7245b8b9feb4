// Fields of a provider's parsed usage object. An invalid count is undefined, so sums are never negative or NaN.

export type JsonRecord = Readonly<Record<string, unknown>>;

/** No model reads or writes this much in one call; a larger value is invalid and would overflow prices. */
const MAX_TOKENS = 1_000_000_000;

export function countOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0) || value > MAX_TOKENS) return undefined;
  return Math.ceil(value);
}

export function nested(value: unknown): JsonRecord {
  return isObject(value) ? value : NOTHING;
}

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}

const NOTHING: JsonRecord = Object.freeze({});
