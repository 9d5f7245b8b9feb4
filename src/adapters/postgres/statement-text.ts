// A statement of several parts that are written one after another, each bringing its own values.

export class StatementText {
  readonly values: unknown[] = [];
  readonly #parts: string[] = [];

  /** A placeholder for the value. Its type is said where the server could not tell it from the place. */
  value(value: unknown, type?: 'bigint' | 'integer' | 'text' | 'text[]'): string {
    this.values.push(value);
    return type === undefined ? `$${this.values.length}` : `$${this.values.length}::${type}`;
  }

  /** `name as (text)`: a part that the parts after it, and the last word, can refer to. */
  part(name: string, text: string): void {
    this.#parts.push(`${name} as (${text})`);
  }

  /** The whole, ending in `last`. */
  ending(last: string): string {
    return `with ${this.#parts.join(', ')} ${last}`;
  }
}
