// The parser of options with a fixed set of values. Its message lists all of them: a wrong value is refused before any
// request, and the operator need not look them up.

import { InvalidArgumentError } from 'commander';
import { editDistance, nearest } from '../config/nearest.ts';

export function readChoice<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const known = allowed.find((value) => value === text);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`);
  };
}

/** For repeatable options. */
export function readChoices<T extends string>(
  allowed: readonly T[],
): (text: string, before: readonly T[] | undefined) => readonly T[] {
  const read = readChoice(allowed);
  return (text, before) => [...(before ?? []), read(text)];
}

/** " Did you mean serve?", or nothing if no name is close. */
export function suggestion(given: string, known: readonly string[]): string {
  const guess = nearest(given, known);
  const isClose = guess !== undefined && editDistance(given, guess) <= MAX_TYPOS;
  return isClose ? ` Did you mean ${guess}?` : '';
}

const MAX_TYPOS = 3;
