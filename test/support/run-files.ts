// Runs the given test files, in their order: `node --test` would sort them by name. Prints the spec report. Files that
// fail while others run are repeated one at a time: a file that then passes depends on the load of the machine. It is
// listed as flaky, which is a defect of the test, but does not fail the run. The exit code is 1 if a file fails both
// times, or if more files fail than chance explains.

import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const FILES_AT_ONCE = 3;
const MAX_TEST_MS = 180_000;
const MAX_FLAKY_FILES = 5;

const files = process.argv.slice(2);
const failed = await runFiles(files, FILES_AT_ONCE);
if (failed.length > 0) process.exitCode = await judgeFailed(failed);

async function judgeFailed(names: readonly string[]): Promise<number> {
  if (files.length === 1 || names.length > MAX_FLAKY_FILES) return 1;
  process.stdout.write(`\nFailed beside other files, run again alone:\n${listOf(names)}\n`);
  const failedAgain = await runFiles(names, 1);
  const flaky = names.filter((name) => !failedAgain.includes(name));
  if (flaky.length > 0) process.stdout.write(`\nFlaky, passed alone:\n${listOf(flaky)}`);
  if (failedAgain.length > 0) process.stdout.write(`\nFailed twice:\n${listOf(failedAgain)}`);
  return failedAgain.length > 0 ? 1 : 0;
}

/** The names of the files with a failed test. */
async function runFiles(names: readonly string[], concurrency: number): Promise<string[]> {
  const failures = new Set<string>();
  const report = run({ files: [...names], concurrency, timeout: MAX_TEST_MS });
  report.on('test:fail', ({ file, name, todo }) => {
    if (todo === undefined || todo === false) failures.add(relative(process.cwd(), file ?? name));
  });
  for await (const text of report.compose(new spec())) process.stdout.write(text);
  return [...failures];
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `  ${name}\n`).join('');
}
