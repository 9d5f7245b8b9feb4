// A folder for one test, removed after it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** For suites, which remove it in their own `after`: hooks registered within a hook run too early. */
export function makeTempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'spillway-test-'));
}

export function tempFolder(context: Pick<TestContext, 'after'>): string {
  const folder = makeTempFolder();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
