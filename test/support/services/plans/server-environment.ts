// The minimal environment of a private server. The user's RABBITMQ_*, ERL_* or PG* settings and proxies must
// not reach it, and its home and temporary folder lie inside its own folder.

/** The system's program folders, independent of the caller's PATH. */
const SYSTEM_PATH = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
].join(':');

export function serverEnvironment(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: SYSTEM_PATH,
    HOME: folder,
    TMPDIR: folder,
    LC_ALL: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
    ...more,
  };
}
