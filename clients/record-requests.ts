// A relay on loopback between a client and its endpoint that records the requests of the client. Bytes pass unchanged in both
// directions.

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';

export type RecordedRequest = {
  readonly path: string;
  readonly body: string;
  readonly status: number;
};

export type RequestRecorder = {
  readonly url: string;
  /** The requests so far, in the order of their answers. */
  recorded(): readonly RecordedRequest[];
  close(): Promise<void>;
};

export async function recordRequests(targetUrl: string): Promise<RequestRecorder> {
  const records: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    readAll(request).then(
      (body) => relay(targetUrl, { request, response, body }, (record) => records.push(record)),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    recorded: () => records,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
};

function relay(
  targetUrl: string,
  { request, response, body }: Exchange,
  onAnswered: (record: RecordedRequest) => void,
): void {
  const { url: path = '/', method, headers } = request;
  const { host } = new URL(targetUrl);
  const upstream = sendRequest(`${targetUrl}${path}`, { method, headers: { ...headers, host } });
  upstream.on('response', (answer) => {
    const status = answer.statusCode ?? 0;
    onAnswered({ path, body: body.toString('utf8'), status });
    response.writeHead(status, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  upstream.end(body);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
