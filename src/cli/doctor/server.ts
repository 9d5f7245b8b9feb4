// Is a server running on this data folder, and does it say that it is well?

import { z } from 'zod';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const ASK_TIMEOUT_MS = 3000;

export const serverCheck: DoctorCheck = {
  name: 'server',
  async look({ clue: { url, pid }, isServerUp }) {
    if (url !== undefined && isServerUp) return [await askReady(url)];
    if (pid === undefined) return [ok('No server is running.')];
    return [
      failed(
        `The server (process ${pid}) does not answer on ${url}.`,
        'It may still be starting or be stuck: look at its log; end it and start it again if it stays so.',
      ),
    ];
  },
};

async function askReady(url: string): Promise<Verdict> {
  const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
  const response = await fetch(`${url}/health/ready`, { signal, redirect: 'error' });
  if (response.ok) return ok(`A server is running on ${url} and is ready.`);
  const { status } = z.object({ status: z.string() }).parse(await response.json());
  if (status === 'draining')
    return warning(`The server on ${url} is stopping.`, 'Wait for it to end what is under way.');
  return failed(
    `The server on ${url} is ${status}.`,
    'Look at its last entries: GET /admin/logs?level=critical, or its log on stdout.',
  );
}
