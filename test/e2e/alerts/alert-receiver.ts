// The receiver of a webhook of alerts, as an operator writes it: it verifies the signature, drops duplicates by id, and lets
// a test wait for messages.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export type ReceivedAlert = {
  readonly phase: 'started' | 'ended';
  readonly name: string;
  readonly subject: string | undefined;
  readonly message: string;
  readonly severity: string;
  readonly serverId: string;
  readonly value: number;
  readonly threshold: number;
};

export type AlertReceiver = {
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly ReceivedAlert[];
  /** Requests with a wrong signature. */
  readonly refused: number;
  /** Resolves with the first past or future message that satisfies the predicate. */
  waitFor(predicate: (alert: ReceivedAlert) => boolean, what: string): Promise<ReceivedAlert>;
  close(): Promise<void>;
};

const WAIT_MS = 45_000;

export async function startAlertReceiver(secret: string): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const ids = new Set<string>();
  let refused = 0;
  let notify = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const id = String(request.headers['webhook-id']);
      const signed = `${id}.${String(request.headers['webhook-timestamp'])}.${body}`;
      if (!isSigned(secret, signed, String(request.headers['webhook-signature']))) {
        refused += 1;
        return void response.writeHead(401).end();
      }
      response.writeHead(204).end();
      if (ids.has(id)) return;
      ids.add(id);
      received.push(parse(body));
      notify();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/alerts`,
    received,
    get refused() {
      return refused;
    },
    async waitFor(predicate, what) {
      const late = AbortSignal.timeout(WAIT_MS);
      for (;;) {
        const found = received.find(predicate);
        if (found) return found;
        await new Promise<void>((resolve, reject) => {
          notify = resolve;
          late.addEventListener('abort', () =>
            reject(new Error(`no ${what} among ${JSON.stringify(received)}`)),
          );
        });
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isSigned(secret: string, signed: string, signature: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parse(body: string): ReceivedAlert {
  const { type, data } = JSON.parse(body) as {
    readonly type: string;
    readonly data: Omit<ReceivedAlert, 'phase'>;
  };
  const { name, subject, message, severity, serverId, value, threshold } = data;
  const phase = type === 'alert.started' ? 'started' : 'ended';
  return { phase, name, subject, message, severity, serverId, value, threshold };
}
