// The fields of a record in their stored order. Journal lines, SQL columns and row values all come from this one list, so
// that a new field is added in one place. A stored value is a text, a whole number or null; a boolean is stored as 0 or 1.

export type StoredValue = string | number | null;

export class RecordLayout<T extends object> {
  readonly fields: readonly (keyof T & string)[];
  readonly #kinds: readonly FieldKind[];
  readonly #read: ReadFields<T>;

  /** `read` must use the order of `kinds`; the constructor throws otherwise. */
  constructor(kinds: FieldKinds<T>, read: ReadFields<T>) {
    // Object.keys types its result as string[].
    this.fields = Object.keys(kinds) as (keyof T & string)[];
    this.#kinds = this.fields.map((field) => kinds[field]);
    this.#read = read;
    const names: unknown[] = [];
    read(new Proxy({} as T, { get: (_, name) => name }), names);
    if (names.join() !== this.fields.join())
      throw new Error(`the fields are read in the order ${names.join()}`);
  }

  /** Appends the values to `values`, because a journal line begins with another value. */
  values(record: T, values: StoredValue[] = []): StoredValue[] {
    const start = values.length;
    this.#read(record, values);
    for (let at = start; at < values.length; at += 1) values[at] = toStored(values[at]);
    return values;
  }

  /**
   * Undefined if there are too many values or the kind of one is wrong. Optional fields at the end may be missing: the line
   * was written before the field existed.
   */
  parse(values: readonly unknown[]): T | undefined {
    if (values.length > this.fields.length) return undefined;
    const record: Record<string, unknown> = {};
    for (const [index, field] of this.fields.entries()) {
      const kind = this.#kinds[index];
      const value = index < values.length ? values[index] : null;
      if (!kind || !isOfKind(kind, value)) return undefined;
      if (kind === 'flag') record[field] = value === 1;
      else if (value !== null || kind === 'optionalText') record[field] = value ?? undefined;
    }
    return record as T;
  }
}

/**
 * Appends the values of all fields. Written out as code: reading a record by field names in a loop takes V8 several times as
 * long, and every request has two records.
 */
export type ReadFields<T> = (record: T, values: unknown[]) => void;

type FieldKind = 'text' | 'optionalText' | 'count' | 'optionalCount' | 'flag';

/** The kind follows from the field's type; an optional count that is null is left out of the parsed record. */
type KindOf<V> = undefined extends V
  ? Exclude<V, undefined> extends string
    ? 'optionalText'
    : 'optionalCount'
  : V extends string
    ? 'text'
    : V extends number
      ? 'count'
      : 'flag';

export type FieldKinds<T> = { readonly [K in keyof T]-?: KindOf<T[K]> };

function toStored(value: unknown): StoredValue {
  if (typeof value === 'string') return value;
  // Measured intervals may have fractions; columns are integers, and one bad value would block a whole batch.
  if (typeof value === 'number') return Math.round(value);
  return typeof value === 'boolean' ? Number(value) : null;
}

function isOfKind(kind: FieldKind, value: unknown): boolean {
  if (value === null) return kind === 'optionalText' || kind === 'optionalCount';
  if (kind === 'text' || kind === 'optionalText') return typeof value === 'string';
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) return false;
  return kind !== 'flag' || value <= 1;
}
