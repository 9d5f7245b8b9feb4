// Can the server listen where it is told to, or does it already?

import { createServer } from 'node:net';
import { type DoctorCheck, failed, ok, type Verdict } from './check.ts';

export const portCheck: DoctorCheck = {
  name: 'port',
  async look({ config: { server }, clue, isServerUp }) {
    const { host, port } = server;
    const where = `${host}:${port}`;
    if (port === 0) return [ok('The server takes any free port.')];
    if (isServerUp && clue.url !== undefined && new URL(clue.url).port === String(port))
      return [ok(`${where} is held by the running server.`)];
    const code = await tryListen(host, port);
    return [code === undefined ? ok(`${where} is free.`) : unusable(where, code)];
  },
};

/** The code of why not, or undefined when one can listen there. */
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
  ['EADDRINUSE', ['is used by another program', 'Stop that one, or set PORT to a free port.']],
  ['EACCES', ['may not be used by this user', 'Set PORT to 1024 or more.']],
  ['EADDRNOTAVAIL', ['is not an address of this machine', 'Set HOST to one that is.']],
  ['ENOTFOUND', ['is not an address of this machine', 'Set HOST to one that is.']],
]);
