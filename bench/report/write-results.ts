// Writes results/<row>.json for later reading and for the documentation. The folder is not in the repository: figures
// belong to one machine.

import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RowReport } from './row-report.ts';

const FOLDER = new URL('../results/', import.meta.url);

export function resultsFolder(): string {
  return fileURLToPath(FOLDER);
}

export async function writeResults(reports: readonly RowReport[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const report of reports) {
    await writeFile(new URL(`${report.row}.json`, FOLDER), `${JSON.stringify(report, null, 2)}\n`);
  }
}
