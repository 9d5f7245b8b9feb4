// Suggests the known name for a misspelt one: the name with the smallest edit distance.

export function nearest(given: string, known: readonly string[]): string | undefined {
  return known
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance)[0]?.name;
}

/** The Levenshtein distance. Names are truncated at 64 characters to bound the work. */
export function editDistance(from: string, to: string): number {
  const [source, goal] = [from.slice(0, 64), to.slice(0, 64)];
  let previous = Array.from({ length: goal.length + 1 }, (_, index) => index);
  for (let row = 1; row <= source.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= goal.length; column += 1) {
      const isSame = source[row - 1] === goal[column - 1];
      const replaced = at(previous, column - 1) + (isSame ? 0 : 1);
      current.push(Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced));
    }
    previous = current;
  }
  return at(previous, goal.length) + Math.abs(from.length - source.length);
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}
