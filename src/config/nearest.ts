// Which known name did somebody mean? The one with the fewest letters to change.

export function nearest(given: string, known: readonly string[]): string | undefined {
  return known
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance)[0]?.name;
}

/** Levenshtein: how many letters must be added, removed or changed. Names are short, long ones are cut. */
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
