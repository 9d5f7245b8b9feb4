// A statement of several parts that are written one after another, each bringing its own values.

import { jsonRows } from './json-rows.ts';

export class StatementText {
  readonly values: unknown[] = [];
  readonly #parts: string[] = [];

  /** A placeholder for the value. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Rows as something to select from, named and with the columns that are given, as in `name (id text, at bigint)`. */
  rows(rows: readonly object[], naming: string): string {
    return `json_to_recordset(${this.value(jsonRows(rows))}::json) as ${naming}`;
  }

  /** Whole rows of a table, as something to select from. */
  recordsOf(table: string, rows: readonly object[]): string {
    return `json_populate_recordset(null::${table}, ${this.value(jsonRows(rows))}::json)`;
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
