// Matches names against patterns: a star matches any text, the empty text included; every other character matches
// itself. Patterns come from the configuration and from keys, names from callers.

/** Searches the literal parts from the left without backtracking, so no name can make it slow. */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}

export function isPattern(name: string): boolean {
  return name.includes('*');
}
