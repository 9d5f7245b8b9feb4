// The files of a data folder besides the store: keys generated at the first start, the server's id, and the address of the
// running server, by which the command line finds it. Files are readable by their owner alone.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type RunningServer = { readonly url: string; readonly pid: number };

export type DataFolder = {
  readonly path: string;
  /** The text of this name; `make` creates it the first time. */
  getOrCreate(name: FolderEntry, make: () => string): string;
  /** The text of this name, if it exists. */
  read(name: FolderEntry): string | undefined;
  announce(server: RunningServer): void;
  withdraw(): void;
  runningServer(): RunningServer | undefined;
};

export type FolderEntry = 'admin-key' | 'api-key' | 'server-id';

const SERVER_FILE = 'server.json';

export function openDataFolder(path: string): DataFolder {
  const fileOf = (name: string): string => join(path, name);

  return {
    path,
    getOrCreate(name, make) {
      const existing = readText(fileOf(name));
      if (existing !== undefined) return existing;
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

/** Atomic; does not overwrite a file that another process has created since. */
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
