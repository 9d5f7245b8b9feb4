// Many rows as one value of a statement: a text of JSON, which the server takes apart by `json_to_recordset`. Its text
// cannot hold NUL or half a character, and a statement that carries one fails for ever: the mark for an unreadable
// character takes their place, as it does in values of their own.

export function jsonRows(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  return MAY_BE_UNSTORABLE.test(text) ? JSON.stringify(rows, storable) : text;
}

/** Also true of text that is itself JSON and says so within, which is innocent. */
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}
