// Runs the tests with the services they need. Three test files run at a time, each in its own process: on two processors
// a file usually waits for a clock or a service. A test file finds its services through environment variables. All temporary
// folders of a run are created in one folder, which is removed at its end: a killed process leaves its data behind.

import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withServices } from './services/with-services.ts';

const root = resolve(import.meta.dirname, '../..');
const PATTERNS = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'bench/**/*.test.ts',
  'chaos/**/*.test.ts',
  'clients/**/*.test.ts',
];
/** The longest files begin first, so that none of them runs alone at the end. */
const LONG_FOLDERS = [
  'test/e2e/package/',
  'test/e2e/examples/',
  'test/e2e/cluster/',
  'test/e2e/',
  'src/adapters/rabbitmq/',
  'src/adapters/',
];
const RUN_FILES = join(import.meta.dirname, 'run-files.ts');

const args = process.argv.slice(2);
const parentPid = Number(
  args.find((arg) => arg.startsWith('--parent='))?.slice('--parent='.length),
);
const wanted = args.filter((arg) => !arg.startsWith('--parent='));

process.exitCode = await withServices(
  process.env,
  (env, signal) => withTempFolder((folder) => run({ ...env, TMPDIR: folder }, signal)),
  Number.isSafeInteger(parentPid) ? { parentPid } : {},
);

function run(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const files = testFiles();
  if (files.length === 0) {
    process.stderr.write(`No test file matches ${wanted.join(', ')}.\n`);
    return Promise.resolve(1);
  }
  return new Promise((done) => {
    const child = spawn(process.execPath, [RUN_FILES, ...files], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.on('error', () => done(1));
    child.on('exit', (code) => done(code ?? 1));
  });
}

async function withTempFolder(work: (folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-tests-'));
  // PostgreSQL runs under a user of its own.
  chmodSync(folder, 0o711);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function testFiles(): string[] {
  if (wanted.length === 0) return longestFirst(globSync(PATTERNS, { cwd: root }));
  return wanted.flatMap((name) =>
    isFolder(name) ? globSync(join(name, '**/*.test.ts'), { cwd: root }) : [name],
  );
}

function longestFirst(files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const rank = LONG_FOLDERS.findIndex((folder) => file.startsWith(folder));
    return rank < 0 ? LONG_FOLDERS.length : rank;
  };
  return files.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function isFolder(name: string): boolean {
  return statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true;
}
