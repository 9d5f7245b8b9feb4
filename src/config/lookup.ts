// Maps that are looked up by names from outside have no prototype, so that "constructor" or "__proto__" in a
// request finds nothing.

export function withoutPrototype<T extends object>(entries: T): T {
  return Object.assign(Object.create(null), entries);
}

export const EMPTY_MAP: Readonly<Record<string, never>> = Object.freeze(withoutPrototype({}));
