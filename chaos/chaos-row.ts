// A row of the chaos run: what is done to the installation, and what is counted afterwards. A row is one file in rows/
// that exports `row`; the counters are those by which brokers and databases are judged.

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
  /** Calls beyond one for each job: what a kill in the middle of a call costs. Only reported. */
  readonly duplicatedCalls: number;
  /** Calls that arrived at the provider beyond its limit, by the truth log. */
  readonly limitViolations: number;
  readonly overspendNanos: number;
};

export type RowFinding = Counters & {
  /** What else the row holds the installation to and was not so, in a few words each: it must be empty, too. */
  readonly shortcomings?: readonly string[];
  /** What happened, in a few words each: who was killed, what was wrong. */
  readonly notes: readonly string[];
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
