// Runs the tests with the services they need. Two test files run at a time, each in its own process; a test
// file finds its services through environment variables.

import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
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
const FILES_AT_ONCE = 2;

const args = process.argv.slice(2);
const parentPid = Number(
  args.find((arg) => arg.startsWith('--parent='))?.slice('--parent='.length),
);
const wanted = args.filter((arg) => !arg.startsWith('--parent='));

process.exitCode = await withServices(
  process.env,
  (env, signal) => run(env, signal),
  Number.isSafeInteger(parentPid) ? { parentPid } : {},
);

function run(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const files = testFiles();
  if (files.length === 0) {
    process.stderr.write(`No test file matches ${wanted.join(', ')}.\n`);
    return Promise.resolve(1);
  }
  return new Promise((done) => {
    const child = spawn(
      process.execPath,
      [
        '--test',
        `--test-concurrency=${FILES_AT_ONCE}`,
        '--test-timeout=180000',
        '--test-reporter=spec',
        ...files,
      ],
      { cwd: root, env, stdio: 'inherit' },
    );
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.on('error', () => done(1));
    child.on('exit', (code) => done(code ?? 1));
  });
}

function testFiles(): string[] {
  if (wanted.length === 0) return globSync(PATTERNS, { cwd: root });
  return wanted.flatMap((name) =>
    isFolder(name) ? globSync(join(name, '**/*.test.ts'), { cwd: root }) : [name],
  );
}

function isFolder(name: string): boolean {
  return statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true;
}
