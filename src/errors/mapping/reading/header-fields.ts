// Reads response headers from any shape: a Headers object, a Map, a plain record, pairs, or undici's flat
// list. Names become lower case; the first value of a name wins.

export type HeaderFields = ReadonlyMap<string, string>;

export const NO_HEADERS: HeaderFields = new Map();

/** Adds the fields of `source` to the known ones. */
export function readHeaders(known: HeaderFields, source: object): HeaderFields {
  let fields: Map<string, string> | undefined;
  try {
    if (isEmpty(source)) return known;
    for (const [name, value] of entriesOf(source)) {
      fields ??= known.size === 0 ? new Map() : new Map(known);
      if (fields.size >= MAX_HEADERS) break;
      take(fields, name, value);
    }
  } catch {
    // Headers that throw while being read count as absent.
  }
  return fields ?? known;
}

const MAX_HEADERS = 200;
const MAX_VALUE_LENGTH = 300;

/** A plain record without fields. */
function isEmpty(source: object): boolean {
  if (Object.getPrototypeOf(source) !== Object.prototype) return false;
  for (const _ in source) return false;
  return true;
}

function entriesOf(source: object): Iterable<readonly [unknown, unknown]> {
  if (Array.isArray(source))
    return Array.isArray(source[0]) ? pairsOf(source) : alternating(source);
  if ('entries' in source && typeof source.entries === 'function' && 'get' in source) {
    return source.entries() as Iterable<readonly [unknown, unknown]>;
  }
  return Object.entries(source);
}

function pairsOf(source: readonly unknown[]): (readonly [unknown, unknown])[] {
  return source
    .slice(0, MAX_HEADERS)
    .filter(Array.isArray)
    .map((pair) => [pair[0], pair[1]] as const);
}

function alternating(source: readonly unknown[]): (readonly [unknown, unknown])[] {
  const pairs: (readonly [unknown, unknown])[] = [];
  const length = Math.min(source.length, 2 * MAX_HEADERS);
  for (let index = 0; index + 1 < length; index += 2)
    pairs.push([source[index], source[index + 1]]);
  return pairs;
}

function take(fields: Map<string, string>, name: unknown, value: unknown): void {
  const key = asText(name)?.toLowerCase();
  const text = asText(Array.isArray(value) ? value[0] : value);
  if (key === undefined || text === undefined || fields.has(key)) return;
  fields.set(key, text.trim());
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH);
  if (typeof value === 'number') return String(value);
  if (value instanceof Uint8Array)
    return new TextDecoder().decode(value.subarray(0, MAX_VALUE_LENGTH));
  return undefined;
}
