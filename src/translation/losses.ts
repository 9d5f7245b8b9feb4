// Collects the fields that a translation cannot express. In strict mode the first such field refuses the request, which
// the error names; in lenient mode they are dropped and reported to the caller in a header. Hints that change nothing
// for the caller are no losses: readers skip them.

export type LossMode = 'strict' | 'lenient';

/** A field of the caller's request has no counterpart at the provider. */
export class UntranslatableField extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} has no counterpart at the provider that serves this model`);
    this.path = path;
  }
}

/** Bounds the header: a request can have any number of such fields. */
const MAX_REPORTED = 20;
const MAX_PATH_LENGTH = 100;

/** Writers name a neutral field as Chat Completions does; this maps it to the name in the caller's format. */
export type FieldNames = ReadonlyMap<string, string>;

export class Losses {
  readonly #mode: LossMode;
  readonly #names: FieldNames;
  readonly #dropped = new Set<string>();

  constructor(mode: LossMode, names: FieldNames = new Map()) {
    this.#mode = mode;
    this.#names = names;
  }

  /** The field is dropped; throws `UntranslatableField` in strict mode. `field`: its path, with dots and indices. */
  drop(field: string): void {
    const path = this.#names.get(field) ?? field;
    if (this.#mode === 'strict') throw new UntranslatableField(path);
    if (this.#dropped.size < MAX_REPORTED) this.#dropped.add(printable(path));
  }

  /** The dropped fields, each once. */
  get dropped(): readonly string[] {
    return [...this.#dropped];
  }
}

function printable(path: string): string {
  return path.replaceAll(/[^\w.[\]-]/g, '_').slice(0, MAX_PATH_LENGTH);
}
