// Keeps what a run found in results/<row>.json, for a look later and for the documentation. The folder is not
// part of the repository: numbers of one machine are not news for another.

import { mkdir, writeFile } from 'node:fs/promises';
import type { RowReport } from './row-report.ts';

export async function writeResults(reports: readonly RowReport[]): Promise<void> {
  const folder = new URL('results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const report of reports) {
    await writeFile(new URL(`${report.row}.json`, folder), `${JSON.stringify(report, null, 2)}\n`);
  }
}
