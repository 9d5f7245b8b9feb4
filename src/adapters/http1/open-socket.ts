// A connection to an origin, in the clear or over TLS. What comes is read into a buffer that all connections share and
// handed over as a copy of its own size: Node's way gives every read a buffer of 64 KiB and takes it through a stream.
// Libuv fills the buffer and tells of it in one go, so that no two connections ever have it at once.

import { connect as connectPlain, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecure } from 'node:tls';

export type Origin = {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** As the Host header gives it. */
  readonly host: string;
  /** The last session, so that the next handshake is short. */
  session: Buffer | undefined;
};

const READ_BYTES = 64 * 1024;

export function readOrigin(text: string): Origin {
  const { protocol, hostname, port, host } = new URL(text);
  const isSecure = protocol === 'https:';
  // An IPv6 address stands in brackets in a URL and in nothing else.
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const given = port === '' ? (isSecure ? 443 : 80) : Number(port);
  return { isSecure, hostname: bare, port: given, host, session: undefined };
}

export type OpenSocket = (origin: Origin, onBytes: (bytes: Buffer) => void) => Socket;

export function createSocketOpener(): OpenSocket {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return (origin, onBytes) => {
    const { hostname: host, port } = origin;
    const callback = (count: number): boolean => {
      onBytes(Buffer.from(buffer.subarray(0, count)));
      return true;
    };
    const options = { host, port, noDelay: true, keepAlive: true, onread: { buffer, callback } };
    return origin.isSecure ? openSecure(origin, options) : connectPlain(options);
  };
}

function openSecure(origin: Origin, options: TcpNetConnectOpts): Socket {
  const { hostname, session } = origin;
  const socket = connectSecure({
    ...options,
    // The name of a certificate is not asked for by an address.
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
    session,
  });
  socket.on('session', (fresh) => {
    origin.session = fresh;
  });
  return socket;
}
