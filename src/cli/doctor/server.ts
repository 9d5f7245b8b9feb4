// Checks the server that runs on this data folder.

import { z } from 'zod';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const ASK_TIMEOUT_MS = 3000;

export const serverCheck: DoctorCheck = {
  name: 'server',
  async inspect({ location: { url, pid }, isServerUp }) {
    if (url !== undefined && isServerUp) return [await askReady(url)];
    if (pid === undefined) return [ok('No server is running.')];
    return [
      failed(
        `The server (process ${pid}) does not respond on ${url}.`,
        'It may still be starting or be stuck: read its log, and restart it if it does not recover.',
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
    return warning(
      `The server on ${url} is stopping.`,
      'Wait until its requests and jobs in flight have finished.',
    );
  return failed(
    `The server on ${url} is ${status}.`,
    'Read its last log entries: GET /admin/logs?level=critical, or stdout.',
  );
}
