// A folder for one test, gone when the test is over.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test's context, or `{ after }` of node:test within a suite. */
export type Ending = { after(fn: () => void): void };

export function tempFolder(context: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
