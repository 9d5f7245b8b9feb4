// Does a pattern mean this name? In a pattern a star stands for any text, also for none; everything else
// stands for itself. Patterns come from the configuration and from keys, names from callers.

/** Literal parts are found from the left, so that no name can make it backtrack. */
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
