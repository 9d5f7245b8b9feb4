// `Upstream` over undici, for providers behind a proxy. A plain HTTP origin is forwarded through the proxy, an HTTPS origin
// is tunnelled with CONNECT. Credentials in the proxy's URL are sent to the proxy only. HTTP/1.1, for the reason given in
// adapters/http1/upstream.ts. undici's own header and body timeouts are off: a silent provider is ended by the attempt.

import { createSecureContext } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Upstream } from '../../upstream/upstream.ts';
import { DispatchedCall } from './dispatched-call.ts';

export type UndiciUpstreamOptions = {
  /** Bounds each step of connecting: to the proxy, through it, and the TLS handshake with the provider. */
  readonly connectTimeoutMs: number;
  readonly maxConnectionsPerOrigin: number;
  /** Without it connections are direct. */
  readonly proxyUrl?: string | undefined;
  /** PEM certificates of the trusted authorities, in place of Node's defaults. */
  readonly ca?: readonly string[] | undefined;
};

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_IDLE_MS = 60_000;

export function createUndiciUpstream(options: UndiciUpstreamOptions): Upstream {
  const dispatcher = createDispatcher(options);
  let closing: Promise<void> | undefined;
  return {
    send(request, listener) {
      const call = new DispatchedCall(listener);
      call.dispatch(dispatcher, request);
      return call;
    },
    close() {
      closing ??= dispatcher.close();
      return closing;
    },
  };
}

function createDispatcher(options: UndiciUpstreamOptions): Dispatcher {
  const { connectTimeoutMs, maxConnectionsPerOrigin, proxyUrl, ca } = options;
  const tls: buildConnector.BuildOptions = {
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(ca && { secureContext: createSecureContext({ ca: [...ca] }) }),
  };
  const pool: Pool.Options = {
    connections: maxConnectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveMaxTimeout: MAX_IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl === undefined) return new Agent({ ...pool, connect: tls });
  return new ProxyAgent({
    ...pool,
    uri: proxyUrl,
    requestTls: tls,
    proxyTls: tls,
    // ProxyAgent passes no limits on to the pools that it forwards and tunnels through.
    factory: (origin, connector: object) => new Pool(origin, { ...connector, ...pool }),
    // CONNECT requests. Their response is part of connecting, so the connect timeout bounds it.
    clientFactory: (origin, connector) =>
      new Pool(origin, { ...connector, headersTimeout: connectTimeoutMs }),
  });
}
