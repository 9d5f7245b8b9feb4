// Checks that the configured address is free, or that the running server uses it.

import { createServer } from 'node:net';
import { type DoctorCheck, failed, ok, type Verdict } from './check.ts';

export const portCheck: DoctorCheck = {
  name: 'port',
  async inspect({ config: { server }, location, isServerUp }) {
    const { host, port } = server;
    const where = `${host}:${port}`;
    if (port === 0) return [ok('The server takes any free port.')];
    if (isServerUp && location.url !== undefined && new URL(location.url).port === String(port))
      return [ok(`${where} is used by the running server.`)];
    const code = await tryListen(host, port);
    return [code === undefined ? ok(`${where} is free.`) : unusable(where, code)];
  },
};

/** The error code, or undefined if listening works. */
function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

function unusable(where: string, code: string): Verdict {
  const [why, mend] = REASONS.get(code) ?? [`cannot be used (${code})`, 'Set HOST and PORT.'];
  return failed(`${where} ${why}.`, mend);
}

const REASONS: ReadonlyMap<string, readonly [why: string, mend: string]> = new Map([
  ['EADDRINUSE', ['is used by another program', 'Stop that program, or set PORT to a free port.']],
  ['EACCES', ['may not be used by this user', 'Set PORT to 1024 or more.']],
  [
    'EADDRNOTAVAIL',
    ['is not an address of this machine', 'Set HOST to an address of this machine.'],
  ],
  ['ENOTFOUND', ['is not an address of this machine', 'Set HOST to an address of this machine.']],
]);
