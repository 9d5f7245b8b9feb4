// The host of a job's owner: records callbacks and gives the answers that the test sets.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export type TakenCallback = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type CallbackHost = {
  readonly url: string;
  /** The next unread callback. */
  next(): Promise<TakenCallback>;
  close(): Promise<void>;
};

export async function startCallbackHost(
  statusOf: (callback: TakenCallback) => number = () => 204,
): Promise<CallbackHost> {
  const taken: TakenCallback[] = [];
  let tell = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const callback = { path: request.url ?? '', headers: request.headers, body };
      taken.push(callback);
      response.writeHead(statusOf(callback)).end();
      tell();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async next() {
      for (;;) {
        const callback = taken.shift();
        if (callback) return callback;
        await new Promise<void>((resolve) => {
          tell = resolve;
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
