// Collects the fields that a translation cannot express. Strict, the first one refuses the request by its name; lenient,
// they are dropped and reported to the caller in a header. Hints that change nothing for the caller are not reported here
// at all: their readers skip them.

export type LossMode = 'strict' | 'lenient';

/** A field of the caller's request has no counterpart at the provider. */
export class UntranslatableField extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} has no counterpart at the provider that serves this model`);
    this.path = path;
  }
}

/** A header stays short, whatever a caller sends. */
const MAX_REPORTED = 20;
const MAX_PATH_LENGTH = 100;

export class Losses {
  readonly #mode: LossMode;
  readonly #dropped = new Set<string>();

  constructor(mode: LossMode) {
    this.#mode = mode;
  }

  /** The field is dropped; throws `UntranslatableField` in strict mode. `path`: dots and indices, as the caller wrote it. */
  drop(path: string): void {
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
