// Typed access to untrusted JSON: each function returns the value if it has the expected type, else undefined
// or an empty value. The request readers use these.

export type JsonRecord = Readonly<Record<string, unknown>>;

const NOTHING: readonly unknown[] = Object.freeze([]);
const EMPTY: JsonRecord = Object.freeze({});

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : EMPTY;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The strings of a list, or a single string as a list. */
export function asTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return asList(value).filter((item): item is string => typeof item === 'string');
}
