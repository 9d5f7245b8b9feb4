// The result of one row, printed as a table and written to results/<row>.json.

import type { Measurement } from '../bench-row.ts';
import type { Verdict } from '../judge.ts';
import type { Machine } from '../processes/machine.ts';

export type RowReport = {
  readonly row: string;
  readonly title: string;
  readonly at: string;
  readonly isShort: boolean;
  readonly isCalibration: boolean;
  readonly machine: Machine;
  readonly verdicts: readonly Verdict[];
  readonly measurement: Measurement;
};
