// A receiver of everything that a server sends to other programs (webhooks, Slack, Sentry, OTLP), on loopback: it accepts
// every request and keeps path, headers and body as text.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export type SunkRequest = {
  readonly path: string;
  readonly headers: string;
  readonly body: string;
};

export type TextSink = {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SunkRequest[];
  /** Resolves when a past or future request satisfies the claim; rejects if none does within a bound. */
  until(claim: (request: SunkRequest) => boolean): Promise<SunkRequest>;
  close(): Promise<void>;
};

const WAIT_MS = 45_000;

export async function startTextSink(): Promise<TextSink> {
  const requests: SunkRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const isZipped = request.headers['content-encoding'] === 'gzip';
      requests.push({
        path: request.url ?? '',
        headers: JSON.stringify(request.headers),
        body: (isZipped ? gunzipSync(bytes) : bytes).toString(),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    until: (claim) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = requests.find(claim);
          if (!found) return;
          waiting.delete(check);
          clearTimeout(timer);
          resolve(found);
        };
        const timer = setTimeout(() => {
          const paths = new Set(requests.map(({ path }) => path));
          reject(new Error(`no such request among the requests to ${[...paths].join(', ')}`));
        }, WAIT_MS);
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
