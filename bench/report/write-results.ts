// Keeps what a run found in results/<row>.json, for a look later and for the documentation. The folder is not
// part of the repository: numbers of one machine are not news for another.

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
