// A TCP or TLS server that reads whole HTTP/1 requests and lets a test write any bytes in response: malformed heads, cut
// bodies, resets. It listens on loopback and closes with all its sockets.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../localhost-certificate.ts';

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Called with each whole request, as latin1 text, and the number of requests before it. */
export type Respond = (socket: Socket, request: string, index: number) => void;

export type RawServer = {
  readonly port: number;
  readonly origin: string;
  /** The sockets accepted so far. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
};

export function startRawServer(respond: Respond): Promise<RawServer> {
  let index = 0;
  return startSocketServer((socket) =>
    onRequests(socket, (text) => respond(socket, text, index++)),
  );
}

/** The handler gets the bare socket and reads requests itself. */
export function startSocketServer(onSocket: (socket: Socket) => void): Promise<RawServer> {
  return listen(createServer(), { event: 'connection', onSocket, base: 'http://127.0.0.1' });
}

/** With the self-signed certificate for `localhost` and 127.0.0.1. */
export function startSecureServer(
  onSocket: (socket: Socket) => void,
  host = '127.0.0.1',
): Promise<RawServer> {
  const server = createSecureServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE });
  server.on('tlsClientError', () => {});
  const base = `https://${host === '127.0.0.1' ? 'localhost' : host}`;
  return listen(server, { event: 'secureConnection', onSocket, base, host });
}

export function onRequests(socket: Socket, onRequest: (text: string) => void): void {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    for (let length = wholeLength(text); length > 0; length = wholeLength(text)) {
      const request = text.slice(0, length);
      text = text.slice(length);
      onRequest(request);
    }
  });
}

/** The length of the first request in the text, or 0 when it is incomplete. */
function wholeLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return 0;
  const bodyLength = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
  const length = headEnd + 4 + bodyLength;
  return text.length < length ? 0 : length;
}

type Listening = {
  readonly event: 'connection' | 'secureConnection';
  readonly onSocket: (socket: Socket) => void;
  readonly base: string;
  readonly host?: string;
};

async function listen(server: Server, listening: Listening): Promise<RawServer> {
  const { event, onSocket, base, host = '127.0.0.1' } = listening;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on(event, (socket: Socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : assert.fail('no address');
  return {
    port,
    origin: `${base}:${port}`,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
