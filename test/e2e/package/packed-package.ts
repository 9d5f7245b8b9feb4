// Packs the package once from a copy of the checkout, so that neither the checkout's dist nor its package.json changes, and
// installs it in folders of test applications: the tarball itself, with links to the packages that it declares.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeTempFolder } from '../../support/temp-folder.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
const MODULES = join(ROOT, 'node_modules');

export type PackedPackage = {
  readonly tarball: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
};

const COPIED = ['bin', 'docs', 'locales', 'scripts', 'src'];
const COPIED_FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.build.browser.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'NOTICE',
];

export async function packOnce(): Promise<PackedPackage> {
  const folder = makeTempFolder();
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of COPIED_FILES) cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  // `npm run check` checks the types of the sources, and the tests of this folder the types of the package.
  const env = { SPILLWAY_BUILD: 'unchecked' };
  const output = await run('npm', ['pack', '--json', '--foreground-scripts=false'], folder, env);
  const [packed] = JSON.parse(output.slice(output.indexOf('['))) as [
    { filename: string; files: PackedPackage['files']; size: number; unpackedSize: number },
  ];
  return {
    tarball: join(folder, packed.filename),
    files: packed.files,
    packedBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
  };
}

/** The folder of an application with the package and its production dependencies. */
export async function installPacked(
  { tarball }: PackedPackage,
  extra: readonly string[] = [],
): Promise<string> {
  const folder = makeTempFolder();
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', modules], folder);
  await run('mv', ['package', 'spillway'], modules);
  for (const name of [...productionPackages(), ...extra]) link(name, modules);
  symlinkSync('../spillway/bin/spillway.mjs', join(modules, '.bin', 'spillway'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module' }));
  return folder;
}

export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}\n${stderr}`);
  return stdout;
}

/** Runs a program in the folder of an application. */
export function runScript(folder: string, script: string): Promise<string> {
  return run(process.execPath, ['--input-type=module', '--eval', script], folder);
}

/** The packages that npm would install with this one: neither development nor optional peers. */
function productionPackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => isTopLevel(path) && !dev && !devOptional)
    .map(([path]) => path.slice('node_modules/'.length));
}

function isTopLevel(path: string): boolean {
  return path.startsWith('node_modules/') && path.split('node_modules/').length === 2;
}

function link(name: string, modules: string): void {
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true, recursive: true });
  symlinkSync(join(MODULES, name), target);
}
