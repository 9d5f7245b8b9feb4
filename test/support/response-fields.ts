// Reads fields of a JSON response of unchecked shape.

/** A text field of a response; fails the test if it is missing. */
export function textAt(body: unknown, ...path: readonly string[]): string {
  const value = valueAt(body, ...path);
  if (typeof value !== 'string') throw new Error(`no text at ${path.join('.')}`);
  return value;
}

export function valueAt(body: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined,
    body,
  );
}

export function rowsOf(body: unknown): readonly unknown[] {
  const data = valueAt(body, 'data');
  if (!Array.isArray(data)) throw new Error('the response holds no list');
  return data;
}
