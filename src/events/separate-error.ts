// Takes the error out of what a product says about an event. Products put raw failures wherever they like, and what
// is stored as data is shown to people: so whatever is kept under a name for failures or stacks is removed, however
// deep, and the first one found is the event's error. What is left is text that every store can hold. Pure.

export type Separated = { readonly data: unknown; readonly error: unknown };

export function separateError(data: unknown): Separated {
  const found: { error: unknown } = { error: undefined };
  return { data: clean(data, found, 0), error: found.error };
}

/** False, nothing and empty are ways to say that all is well. */
export function isFailure(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** NUL and halves of characters cannot be stored as JSON; the mark for an unreadable character takes their place. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

const DEEPEST = 40;
const ERROR_NAME = /^(?:err|errors?|exception|error[_-]?(?:message|details?|text))$/i;
const STACK_NAME = /^(?:(?:error[_-]?)?stack(?:[_-]?trace)?|traceback)$/i;

function clean(value: unknown, found: { error: unknown }, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, found, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => !take(name, field, found))
      .map(([name, field]) => [storableText(name), clean(field, found, depth + 1)]),
  );
}

/** Whether the field is a failure's and must go. */
function take(name: string, field: unknown, found: { error: unknown }): boolean {
  if (STACK_NAME.test(name)) return isFailure(field);
  if (!ERROR_NAME.test(name) || !isFailure(field)) return false;
  found.error ??= field;
  return true;
}
