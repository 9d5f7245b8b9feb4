// JSON for scripts that decode it. Redis' JSON refuses half of a surrogate pair, as a text that was cut within an emoji ends in, or
// a name that a caller has chosen: U+FFFD replaces it.

export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'string' ? field.toWellFormed() : field,
  );
}
