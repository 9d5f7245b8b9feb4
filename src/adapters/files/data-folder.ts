// What a data folder keeps besides the store: the keys that were made at the first start, the server's id,
// and where the running server listens, so that the command line finds it. Secrets are readable by their
// owner alone.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type RunningServer = { readonly url: string; readonly pid: number };

export type DataFolder = {
  readonly path: string;
  /** The text kept under this name; made by `make` the first time. */
  keep(name: KeptName, make: () => string): string;
  /** The text kept under this name, if there is one. */
  read(name: KeptName): string | undefined;
  announce(server: RunningServer): void;
  withdraw(): void;
  runningServer(): RunningServer | undefined;
};

export type KeptName = 'admin-key' | 'api-key' | 'server-id';

const SERVER_FILE = 'server.json';

export function openDataFolder(path: string): DataFolder {
  const fileOf = (name: string): string => join(path, name);

  return {
    path,
    keep(name, make) {
      const known = readText(fileOf(name));
      if (known !== undefined) return known;
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeOnce(fileOf(name), make());
      return readText(fileOf(name)) ?? '';
    },
    read: (name) => readText(fileOf(name)),
    announce: (server) =>
      writeFileSync(fileOf(SERVER_FILE), JSON.stringify(server), { mode: 0o600 }),
    withdraw: () => rmSync(fileOf(SERVER_FILE), { force: true }),
    runningServer: () => parseServer(readText(fileOf(SERVER_FILE))),
  };
}

/** Whole or not at all, and never over what another process has just written. */
function writeOnce(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseServer(text: string | undefined): RunningServer | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (typeof value !== 'object' || value === null || !('url' in value) || !('pid' in value))
      return undefined;
    const { url, pid } = value;
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}
