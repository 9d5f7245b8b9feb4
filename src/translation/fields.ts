// Reads the fields of a JSON object by name and type, and remembers which fields were read: a field that was not read has no
// counterpart in the neutral form and goes to the losses. A field that is null counts as absent. A field of another type
// throws `TranslationProblem` with its path.

import { TranslationProblem } from './dialect.ts';
import type { Losses } from './losses.ts';
import type { JsonObject } from './neutral-request.ts';

/** Vendors accept between 63 and 128 characters. */
const MAX_NAME_LENGTH = 256;

/** Anthropic's limit of messages; a list of short elements costs far more time than its size suggests. */
const MAX_ELEMENTS = 100_000;

export class Fields {
  readonly #object: JsonObject;
  readonly #path: string;
  readonly #read = new Set<string>();

  /** `path` is empty for the body itself. */
  constructor(object: JsonObject, path = '') {
    this.#object = object;
    this.#path = path;
  }

  /** Throws for a value that is not an object. */
  static of(value: unknown, path: string): Fields {
    if (!isObject(value)) throw new TranslationProblem(path, 'is not an object');
    return new Fields(value, path);
  }

  path(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    throw new TranslationProblem(this.path(name), 'is not a text');
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'number') return value;
    throw new TranslationProblem(this.path(name), 'is not a number');
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw new TranslationProblem(this.path(name), 'is not a boolean');
  }

  /** A text that must be there. */
  needText(name: string): string {
    return this.text(name) ?? this.#missing(name);
  }

  /** The name of a tool or a function. A request repeats it per result, so its length is bounded. */
  needName(name: string): string {
    const value = this.needText(name);
    if (value.length > MAX_NAME_LENGTH)
      throw new TranslationProblem(this.path(name), 'is too long');
    return value;
  }

  object(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : Fields.of(value, this.path(name));
  }

  needObject(name: string): Fields {
    return this.object(name) ?? this.#missing(name);
  }

  /** The object itself, unread: a schema, or arguments of a tool. */
  json(name: string): JsonObject | undefined {
    const value = this.raw(name);
    if (value === undefined || isObject(value)) return value;
    throw new TranslationProblem(this.path(name), 'is not an object');
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value !== undefined && !Array.isArray(value))
      throw new TranslationProblem(this.path(name), 'is not a list');
    if (value && value.length > MAX_ELEMENTS)
      throw new TranslationProblem(this.path(name), 'has too many elements');
    return value;
  }

  /** Reads each element of a list as an object; an absent list is empty. */
  objects(name: string): readonly Fields[] {
    return (this.list(name) ?? []).map((value, index) =>
      Fields.of(value, `${this.path(name)}[${index}]`),
    );
  }

  texts(name: string): readonly string[] {
    return (this.list(name) ?? []).map((value, index) => {
      if (typeof value === 'string') return value;
      throw new TranslationProblem(`${this.path(name)}[${index}]`, 'is not a text');
    });
  }

  /** The value in any form; undefined if it is absent or null. */
  raw(name: string): unknown {
    this.#read.add(name);
    return this.#object[name] ?? undefined;
  }

  /** Fields that change nothing for the caller. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /** Every field that was neither read nor skipped and is not null. */
  dropRest(losses: Losses): void {
    for (const [name, value] of Object.entries(this.#object))
      if (value !== null && !this.#read.has(name)) losses.drop(this.path(name));
  }

  /** Returns `value` after reporting all unread fields as losses. */
  done<T>(losses: Losses, value: T): T {
    this.dropRest(losses);
    return value;
  }

  #missing(name: string): never {
    throw new TranslationProblem(this.path(name), 'is missing');
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entry of `table` under `key`; undefined for a name that only the table's prototype has, such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Removes the fields that are undefined, so that a written request has only what its vendor's SDK would send. */
export function defined(object: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
