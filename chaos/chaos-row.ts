// One row of the chaos run: the fault it injects and the counters it fills. A row is a file in rows/ that exports
// `row`.

import type { Arena } from './installation/arena.ts';

export type Counters = {
  /** Jobs, messages or requests that were tried, each counted once however often it was sent. */
  readonly attempted: number;
  /** Of those, the ones for which a 202 was read or the broker's confirm came. */
  readonly acknowledged: number;
  /** Acknowledged, and then not ended as they should have. */
  readonly lost: number;
  /** Results and settlements beyond one each. */
  readonly duplicatedEffects: number;
  /** Calls beyond one per job: the cost of a kill during a call. Reported, not judged. */
  readonly duplicatedCalls: number;
  /** Calls that arrived at the provider beyond its limit, by the truth log. */
  readonly limitViolations: number;
  readonly overspendNanos: number;
};

export type RowFinding = Counters & {
  /** What else the row holds the installation to and was not so, in a few words each: it must be empty, too. */
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
  /** Where it stands in the table. */
  readonly order: number;
  /** Whether it belongs to the few that run on every change. */
  readonly isInShort: boolean;
  run(arena: Arena): Promise<RowFinding>;
};

export function hasPassed({ shortcomings = [], ...counters }: RowFinding): boolean {
  const { lost, duplicatedEffects, limitViolations, overspendNanos } = counters;
  const wrong = lost + duplicatedEffects + limitViolations + overspendNanos;
  return wrong + shortcomings.length === 0;
}
