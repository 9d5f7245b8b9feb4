// The benchmark's table for the terminal: goal, measured with spread, verdict; below it the absolute numbers.

import { alignColumns } from '../../src/cli/table.ts';
import type { Goal } from '../bench-row.ts';
import type { RowReport } from './row-report.ts';
import type { Figure } from './statistics.ts';

const HEADINGS = ['row', 'what', 'goal', 'measured', 'rounds', 'verdict'] as const;

export function reportTable(reports: readonly RowReport[]): string {
  const lines = reports.flatMap((report) =>
    report.verdicts.map(({ goal, measured, isMet }) => [
      report.row,
      goal.what,
      bound(goal),
      amount(measured.median, goal.unit),
      spread(measured, goal),
      isMet ? 'met' : 'MISSED',
    ]),
  );
  return `${alignColumns([HEADINGS, ...lines])}\n\n${sideLines(reports)}`;
}

function sideLines(reports: readonly RowReport[]): string {
  const lines = reports.flatMap(({ row, measurement }) =>
    measurement.side.map(({ what, unit, figure }) => [
      row,
      what,
      amount(figure.median, unit),
      figure.rounds.length > 1 ? `${plain(figure.min)}–${plain(figure.max)}` : '',
    ]),
  );
  return `Beside the goals (this machine, this minute):\n${alignColumns(lines)}`;
}

function bound(goal: Goal): string {
  return 'atMost' in goal
    ? `≤ ${amount(goal.atMost, goal.unit)}`
    : `≥ ${amount(goal.atLeast, goal.unit)}`;
}

function spread(measured: Figure, goal: Goal): string {
  if (measured.rounds.length < 2) return '';
  return `${amount(measured.min, '')}–${amount(measured.max, goal.unit)}`;
}

function amount(value: number, unit: string): string {
  return unit === '' ? plain(value) : `${plain(value)} ${unit}`;
}

function plain(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
