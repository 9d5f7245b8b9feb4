// Names of JSON fields, grouped by length: a name of a body is compared with those of its own length only. Most names of a
// body have no counterpart of their length and cost one lookup. The names are ASCII.

import { bytesEqual, bytesEqualInAnyCase } from './scan.ts';

const NONE: readonly string[] = Object.freeze([]);

export class NameTable {
  readonly names: readonly string[];
  /** The length of the longest name. */
  readonly maxLength: number;
  readonly #byLength: (readonly string[])[];

  constructor(names: readonly string[]) {
    this.names = names;
    this.maxLength = names.reduce((most, { length }) => Math.max(most, length), 0);
    this.#byLength = Array.from({ length: this.maxLength + 1 }, (_, length) => {
      const ofLength = names.filter((name) => name.length === length);
      return ofLength.length === 0 ? NONE : ofLength;
    });
  }

  /** The name that the bytes spell. */
  find(body: Buffer, start: number, end: number): string | undefined {
    if (end - start > this.maxLength) return undefined;
    for (const name of this.#byLength[end - start] ?? NONE)
      if (bytesEqual(body, start, end, name)) return name;
    return undefined;
  }

  /** The name that the bytes spell but for the case of their letters. */
  findInAnyCase(body: Buffer, start: number, end: number): string | undefined {
    if (end - start > this.maxLength) return undefined;
    for (const name of this.#byLength[end - start] ?? NONE)
      if (bytesEqualInAnyCase(body, start, end, name)) return name;
    return undefined;
  }
}
