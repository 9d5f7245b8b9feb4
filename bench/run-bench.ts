// `spillway bench`: runs the chosen rows one after another, judges them, writes the results and returns the text for the
// terminal. The command in src/cli/commands/bench.ts is its only caller. An interruption stops every started process
// before the promise settles.

import type { BenchRow } from './bench-row.ts';
import { chooseRows, findRows } from './find-rows.ts';
import { judge } from './judge.ts';
import { interruption } from './processes/interruption.ts';
import { describeMachine } from './processes/machine.ts';
import { createProgress } from './report/progress.ts';
import { reportTable } from './report/report-table.ts';
import type { RowReport } from './report/row-report.ts';
import { resultsFolder, writeResults } from './report/write-results.ts';
import { openStage } from './stage.ts';

export type BenchRequest = {
  readonly rows: readonly string[];
  readonly rounds?: number | undefined;
  readonly seconds?: number | undefined;
  readonly isShort: boolean;
  readonly isJson: boolean;
  /** Measures the bare proxy against a second bare proxy: the difference is the machine's noise. */
  readonly isCalibration: boolean;
  /** Writes a CPU profile of the gateway to results/; profiling distorts the figures, so they are discarded. */
  readonly isProfile: boolean;
  /** The file that the row `trace` replays; without one the row generates a trace. */
  readonly traceFile?: string | undefined;
};

export type BenchOutcome = { readonly text: string; readonly missed: readonly string[] };

const FULL = { rounds: 5, warmUpRounds: 3, seconds: 4 } as const;
const SHORT = { rounds: 3, warmUpRounds: 3, seconds: 2 } as const;

export async function runBench(request: BenchRequest): Promise<BenchOutcome> {
  const rows = chooseRows(await findRows(), request.rows).filter(
    (row) => row.canCalibrate || !request.isCalibration,
  );
  const stopping = interruption();
  const reports: RowReport[] = [];
  try {
    for (const row of rows) reports.push(await runRow(row, request, stopping.signal));
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    stopping.dispose();
  }
  if (request.isProfile) return { text: 'The profiles are in bench/results.', missed: [] };
  if (!request.isCalibration) await writeResults(reports);
  const verdicts = reports.flatMap((report) => report.verdicts);
  return {
    text: request.isJson ? JSON.stringify(reports, null, 2) : reportTable(reports),
    missed: verdicts.filter(({ isMet }) => !isMet).map(({ row, goal }) => `${row}: ${goal.what}`),
  };
}

async function runRow(
  row: BenchRow,
  request: BenchRequest,
  signal: AbortSignal,
): Promise<RowReport> {
  const machine = describeMachine();
  const progress = createProgress(process.stderr);
  const usual = request.isShort ? SHORT : FULL;
  const stage = openStage({
    pace: {
      rounds: request.rounds ?? usual.rounds,
      warmUpRounds: usual.warmUpRounds,
      seconds: request.seconds ?? usual.seconds,
    },
    signal,
    isShort: request.isShort,
    traceFile: request.traceFile,
    isCalibration: request.isCalibration,
    profileFolder: request.isProfile ? resultsFolder() : undefined,
    progress: (text) => progress.say(`${row.name}: ${text}`),
  });
  try {
    const measurement = await row.run(stage);
    const { isShort, isCalibration } = request;
    const verdicts = judge(row, measurement, isShort);
    const at = new Date().toISOString();
    return {
      row: row.name,
      title: row.title,
      at,
      isShort,
      isCalibration,
      machine,
      verdicts,
      measurement,
    };
  } finally {
    await stage.close();
    progress.clear();
  }
}
