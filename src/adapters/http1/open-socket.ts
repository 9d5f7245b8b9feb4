// Opens a socket to an origin, plain or over TLS. All sockets read into one shared buffer and pass on a copy of the exact
// size: by default Node allocates 64 KiB per read and pushes it through a stream. libuv fills the buffer and runs the
// callback in one step, so two connections never use it at the same time.

import { connect as connectPlain, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecure, type SecureContext } from 'node:tls';

export type Origin = {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The value of the Host header. */
  readonly host: string;
  /** The latest TLS session; it abbreviates the next handshake. */
  session: Buffer | undefined;
};

const READ_BYTES = 64 * 1024;
/** A provider may be silent for minutes: TCP probes find a dead peer, and keep the connection known to NAT devices. */
const KEEP_ALIVE_MS = 30_000;

export function readOrigin(text: string): Origin {
  const { protocol, hostname, port, host } = new URL(text);
  const isSecure = protocol === 'https:';
  // A URL writes an IPv6 address in brackets; sockets and certificates do not.
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const given = port === '' ? (isSecure ? 443 : 80) : Number(port);
  return { isSecure, hostname: bare, port: given, host, session: undefined };
}

export type OpenSocket = (origin: Origin, onBytes: (bytes: Buffer) => void) => Socket;

/** `secureContext` holds the trusted certificate authorities; Node's defaults apply without it. */
export function createSocketOpener(secureContext: SecureContext | undefined): OpenSocket {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return (origin, onBytes) => {
    const { hostname: host, port } = origin;
    const callback = (count: number): boolean => {
      onBytes(Buffer.from(buffer.subarray(0, count)));
      return true;
    };
    const options = { host, port, noDelay: true, onread: { buffer, callback } };
    const socket = origin.isSecure
      ? openSecure(origin, options, secureContext)
      : connectPlain(options);
    return socket.setKeepAlive(true, KEEP_ALIVE_MS);
  };
}

function openSecure(
  origin: Origin,
  options: TcpNetConnectOpts,
  secureContext: SecureContext | undefined,
): Socket {
  const { hostname, session } = origin;
  const socket = connectSecure({
    ...options,
    // SNI carries names, never addresses (RFC 6066, section 3).
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
    session,
    secureContext,
  });
  socket.on('session', (fresh) => {
    origin.session = fresh;
  });
  return socket;
}
