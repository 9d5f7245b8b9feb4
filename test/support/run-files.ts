// Runs the given test files, in their order: `node --test` would sort them by name. Prints the spec report; the exit code is
// 1 if a test failed.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const FILES_AT_ONCE = 3;
const MAX_TEST_MS = 180_000;

const report = run({
  files: process.argv.slice(2),
  concurrency: FILES_AT_ONCE,
  timeout: MAX_TEST_MS,
});
report.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
report.compose(new spec()).pipe(process.stdout);
