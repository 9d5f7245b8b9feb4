// The environment of a private server: next to nothing. A person's RABBITMQ_*, ERL_* or PG* settings, or a
// proxy, must not reach it, and what it keeps in its home or in the temporary folder stays in its own.

/** Where the system's own programs are, whatever the path we were started with. */
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
