// The table of a chaos run for the terminal: the counters of each row, its verdict, and the notes below it.

import { alignColumns } from '../src/cli/table.ts';
import type { RowReport } from './chaos-row.ts';

const HEADINGS = [
  'row',
  'attempted',
  'acknowledged',
  'lost',
  'dup effects',
  'dup calls',
  'violations',
  'overspend',
  'seconds',
  'verdict',
] as const;

export function reportTable(reports: readonly RowReport[], seed: number): string {
  const lines = reports.map((report) => [
    report.row,
    String(report.attempted),
    String(report.acknowledged),
    String(report.lost),
    String(report.duplicatedEffects),
    String(report.duplicatedCalls),
    String(report.limitViolations),
    `$${(report.overspendNanos / 1e9).toFixed(2)}`,
    report.seconds.toFixed(0),
    report.hasPassed ? 'passed' : 'FAILED',
  ]);
  const notes = reports.flatMap(({ row, notes, shortcomings = [] }) => [
    ...notes.map((note) => `${row}: ${note}`),
    ...shortcomings.map((shortcoming) => `${row}: NOT SO: ${shortcoming}`),
  ]);
  return [alignColumns([HEADINGS, ...lines]), '', ...notes, `seed ${seed}`].join('\n');
}
