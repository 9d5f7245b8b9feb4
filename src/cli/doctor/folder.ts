// Checks that the data folder is writable and that other users cannot read its secrets.

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const SECRET_FILES = ['admin-key', 'api-key', 'server.json'];
const OTHERS_BITS = 0o077;

export const folderCheck: DoctorCheck = {
  name: 'data folder',
  async inspect({ config: { storage } }) {
    const { dataDir } = storage;
    if (!existsSync(dataDir)) return [futureFolder(dataDir)];
    if (!statSync(dataDir).isDirectory())
      return [failed(`${dataDir} is not a folder.`, 'Set SPILLWAY_DATA_DIR to a folder.')];
    if (!isWritable(dataDir)) return [unwritable(dataDir)];
    const readable = readableByOthers(dataDir);
    return readable.length > 0
      ? readable
      : [ok(`${dataDir} is writable, and other users cannot read its secrets.`)];
  },
};

/** The path itself or its nearest existing parent folder. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function futureFolder(dataDir: string): Verdict {
  return isWritable(nearestFolder(dataDir))
    ? ok(`${dataDir} does not exist yet; the first start creates it.`)
    : unwritable(dataDir);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unwritable(dataDir: string): Verdict {
  return failed(
    `${dataDir} cannot be written.`,
    'Give this user write permission, or set SPILLWAY_DATA_DIR to another folder.',
  );
}

function readableByOthers(dataDir: string): readonly Verdict[] {
  // Windows has access control lists, which the mode bits do not show.
  if (process.platform === 'win32') return [];
  const files = readdirSync(dataDir).filter((name) => SECRET_FILES.includes(name));
  const open = files.map((name) => join(dataDir, name)).filter(isOpenToOthers);
  const secrets = open.map((file) =>
    failed(`${file} can be read by other users of this machine.`, `chmod 600 ${file}`),
  );
  if (!isOpenToOthers(dataDir)) return secrets;
  const folder = warning(
    `${dataDir} can be entered by other users of this machine.`,
    `chmod 700 ${dataDir}`,
  );
  return [...secrets, folder];
}

function isOpenToOthers(path: string): boolean {
  return (statSync(path).mode & OTHERS_BITS) !== 0;
}
