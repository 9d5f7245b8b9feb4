// `spillway chaos`: starts its own engines and provider, runs the chosen rows one after another, each on its own
// installation, and returns the text for the terminal. The command in src/cli/commands/chaos.ts is its only caller. An
// interruption stops and removes everything before the promise settles.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interruption } from '../bench/processes/interruption.ts';
import { createProgress } from '../bench/report/progress.ts';
import type { Services } from '../test/support/services/services.ts';
import { startServices } from '../test/support/services/start-services.ts';
import type { ChaosRow, RowReport } from './chaos-row.ts';
import { hasPassed } from './chaos-row.ts';
import { doseOf } from './faults/dose.ts';
import { createSeededRandom } from './faults/seeded-random.ts';
import { chooseRows, findRows } from './find-rows.ts';
import { openArena } from './installation/arena.ts';
import { type Provider, startProvider } from './installation/provider.ts';
import { reportTable } from './report-table.ts';

export type ChaosRequest = {
  readonly rows: readonly string[];
  readonly seed?: number | undefined;
  readonly scale: number;
  readonly isShort: boolean;
  readonly isJson: boolean;
  /** Keeps the folder with the logs of all processes, for debugging. */
  readonly keepsLogs: boolean;
};

export type ChaosOutcome = { readonly text: string; readonly failed: readonly string[] };

type RunContext = {
  readonly engines: Services;
  readonly provider: Provider;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly seed: number;
};

const MAX_SEED = 4_294_967_295;

export async function runChaos(request: ChaosRequest): Promise<ChaosOutcome> {
  const rows = chooseRows(await findRows(), { wanted: request.rows, isShort: request.isShort });
  const seed = request.seed ?? crypto.getRandomValues(new Uint32Array(1))[0] ?? MAX_SEED;
  process.stderr.write(`seed ${seed}\n`);
  const stopping = interruption('The chaos run');
  const folder = mkdtempSync(join(tmpdir(), 'spillway-chaos-'));
  try {
    const reports = await withEngines({ folder, signal: stopping.signal, seed }, (context) =>
      runRows(rows, request, context),
    );
    return {
      text: request.isJson
        ? JSON.stringify({ seed, rows: reports }, null, 2)
        : reportTable(reports, seed),
      failed: reports.filter((report) => !report.hasPassed).map(({ row }) => row),
    };
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    stopping.dispose();
    if (request.keepsLogs) process.stderr.write(`The logs are in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts engines and provider for the duration of `use`. Services named by the caller's environment are not touched.
 */
async function withEngines<T>(
  given: Pick<RunContext, 'folder' | 'signal' | 'seed'>,
  use: (context: RunContext) => Promise<T>,
): Promise<T> {
  const { PATH } = process.env;
  const engines = await startServices({ env: { PATH }, log: () => {}, signal: given.signal });
  try {
    const provider = await startProvider();
    try {
      return await use({ ...given, engines, provider });
    } finally {
      await provider.close();
    }
  } finally {
    await engines.close();
  }
}

async function runRows(
  rows: readonly ChaosRow[],
  request: ChaosRequest,
  context: RunContext,
): Promise<RowReport[]> {
  const reports: RowReport[] = [];
  for (const row of rows) {
    context.signal.throwIfAborted();
    const report = await runRow(row, request, context);
    const verdict = report.hasPassed ? 'passed' : 'FAILED';
    process.stderr.write(`${row.name} ${verdict} after ${report.seconds.toFixed(0)} s\n`);
    reports.push(report);
  }
  return reports;
}

async function runRow(
  row: ChaosRow,
  request: ChaosRequest,
  context: RunContext,
): Promise<RowReport> {
  const progress = createProgress(process.stderr);
  const startedAt = performance.now();
  const arena = openArena({
    ...context,
    rowName: row.name,
    dose: doseOf(request),
    // A separate random source per row, so that a row draws the same values alone and among other rows.
    random: createSeededRandom(context.seed + row.order),
    progress: (text) => progress.say(`${row.name}: ${text}`),
  });
  try {
    const finding = await row.run(arena);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { row: row.name, title: row.title, seconds, hasPassed: hasPassed(finding), ...finding };
  } finally {
    await arena.close();
    progress.clear();
  }
}
