// One row of the chaos run: the fault it injects and the counters it fills. A row is a file in rows/ that exports
// `row`.

import type { Arena } from './installation/arena.ts';

export type Counters = {
  /** Jobs, messages or requests that were submitted, each counted once however often it was sent. */
  readonly attempted: number;
  /** Attempted submissions for which a 202 or a broker confirm was received. */
  readonly acknowledged: number;
  /** Acknowledged submissions without the end that their row requires. */
  readonly lost: number;
  /** Results and settlements beyond one per job. */
  readonly duplicatedEffects: number;
  /** Calls beyond one per job: the cost of a kill during a call. Reported, not judged. */
  readonly duplicatedCalls: number;
  /** Calls that arrived at the provider beyond its limit, by the truth log. */
  readonly limitViolations: number;
  readonly overspendNanos: number;
};

export type RowFinding = Counters & {
  /** Further conditions of the row that were violated, in a few words each; must be empty. */
  readonly shortcomings?: readonly string[];
  /** Events of the row in a few words each: kills and failed conditions. */
  readonly notes: readonly string[];
};

export type RowReport = RowFinding & {
  readonly row: string;
  readonly title: string;
  readonly seconds: number;
  readonly hasPassed: boolean;
};

export type ChaosRow = {
  readonly name: string;
  readonly title: string;
  /** The row's position in the table. */
  readonly order: number;
  /** The short form, which CI runs on every change, includes the row. */
  readonly isInShort: boolean;
  run(arena: Arena): Promise<RowFinding>;
};

export function hasPassed({ shortcomings = [], ...counters }: RowFinding): boolean {
  const { lost, duplicatedEffects, limitViolations, overspendNanos } = counters;
  const wrong = lost + duplicatedEffects + limitViolations + overspendNanos;
  return wrong + shortcomings.length === 0;
}
