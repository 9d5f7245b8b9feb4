// Checks the local journal for usage records that are not in the store. A running server drains it continuously; records
// left without a server come from a crash or an unavailable store, and the next start stores them.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DoctorCheck, ok, type Verdict, warning } from './check.ts';

/** A server writes to one file; further files are full and not yet in the store. */
const FILES_IN_USE = 1;
const MAX_COUNTED_BYTES = 8 * 2 ** 20;

export const journalCheck: DoctorCheck = {
  name: 'journal',
  async inspect({ config: { storage }, isServerUp }) {
    const files = journalFiles(join(storage.dataDir, 'journal'));
    return [isServerUp ? whileServerRuns(files.length) : leftBehind(files)];
  },
};

function journalFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return names.map((name) => join(folder, name)).filter((file) => statSync(file).size > 0);
  } catch {
    return [];
  }
}

function whileServerRuns(count: number): Verdict {
  if (count <= FILES_IN_USE) return ok('The server stores usage without a backlog.');
  return warning(
    `${count} journal files wait for the store.`,
    'The store is unavailable or too slow: search the log of the server for "usage". No record is lost.',
  );
}

function leftBehind(files: readonly string[]): Verdict {
  if (files.length === 0) return ok('No usage waits in the journal.');
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const amount = bytes > MAX_COUNTED_BYTES ? `${bytes} bytes` : String(countLines(files));
  return warning(
    `Usage waits in the journal (records: ${amount}).`,
    'Start the server: it stores each record once.',
  );
}

function countLines(files: readonly string[]): number {
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).length;
}
