// Installs what the chosen clients need into the cache folder, once: agents from npm, Python clients from PyPI into a
// virtual environment. They are never dependencies of the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';

/** Returns the clients that can run; a failed installation is reported and leaves the others. */
export function installClients(clients: readonly Client[], cache: string): readonly Client[] {
  mkdirSync(cache, { recursive: true });
  return clients.filter((client) => {
    const problem = install(client, cache);
    if (problem !== undefined) process.stderr.write(`${client.name} is left out: ${problem}\n`);
    return problem === undefined;
  });
}

function install({ install: wanted }: Client, cache: string): string | undefined {
  if (wanted === undefined) return undefined;
  return 'npm' in wanted ? installAgent(wanted, cache) : installPython(wanted, cache);
}

function installAgent(
  { npm, bin }: { readonly npm: string; readonly bin: string },
  cache: string,
): string | undefined {
  if (existsSync(join(cache, 'node_modules', '.bin', bin))) return undefined;
  const options = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  return run('npm', ['install', '--prefix', cache, ...options, npm]);
}

function installPython(
  { pip, venv: name = 'venv' }: { readonly pip: string; readonly venv?: string },
  cache: string,
): string | undefined {
  const venv = join(cache, name);
  const executable = join(venv, 'bin', 'python');
  const problem = existsSync(executable) ? undefined : run('python3', ['-m', 'venv', venv]);
  if (problem !== undefined) return problem;
  if (run(executable, ['-m', 'pip', 'show', '-q', pip]) === undefined) return undefined;
  return run(executable, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', pip]);
}

function run(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `${command} failed`;
}

/** The installed version of each agent, for the report. */
export function versionOf({ install: wanted }: Client, cache: string): string {
  if (wanted === undefined) return '';
  if ('pip' in wanted) return pythonVersionOf(wanted.pip, join(cache, wanted.venv ?? 'venv'));
  const manifest = join(cache, 'node_modules', wanted.npm, 'package.json');
  const parsed: unknown = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  return String(Reflect.get(Object(parsed), 'version') ?? '');
}

function pythonVersionOf(pip: string, venv: string): string {
  const program = `import importlib.metadata as m; print(m.version('${pip}'))`;
  const { status, stdout } = spawnSync(join(venv, 'bin', 'python'), ['-c', program], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : '';
}
