// Maps without a prototype, for lookups with names from requests: "constructor" or "__proto__" must find nothing.

export function withoutPrototype<T extends object>(entries: T): T {
  return Object.assign(Object.create(null), entries);
}

export const EMPTY_MAP: Readonly<Record<string, never>> = Object.freeze(withoutPrototype({}));
