// Extracts the error from an event's data. Products put raw failures anywhere in the data, and users see the data: so
// every field with a name for failures or stacks is removed at any depth, and the first failure becomes the event's
// error. The remaining text is made storable. Pure.

export type ExtractedError = { readonly data: unknown; readonly error: unknown };

export function extractError(data: unknown): ExtractedError {
  const found: { error: unknown } = { error: undefined };
  return { data: clean(data, found, 0), error: found.error };
}

/** False, null, empty text and empty objects mean that there was no failure. */
export function isFailure(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** PostgreSQL's JSON refuses NUL and lone surrogates; U+FFFD replaces them. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

const MAX_DEPTH = 40;
const ERROR_NAME = /^(?:err|errors?|exception|error[_-]?(?:message|details?|text))$/i;
const STACK_NAME = /^(?:(?:error[_-]?)?stack(?:[_-]?trace)?|traceback)$/i;

function clean(value: unknown, found: { error: unknown }, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, found, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => !extract(name, field, found))
      .map(([name, field]) => [storableText(name), clean(field, found, depth + 1)]),
  );
}

/** Whether the field has to be removed; notes the first failure. */
function extract(name: string, field: unknown, found: { error: unknown }): boolean {
  if (STACK_NAME.test(name)) return isFailure(field);
  if (!ERROR_NAME.test(name) || !isFailure(field)) return false;
  found.error ??= field;
  return true;
}
