// `Upstream` over direct HTTP/1.1 connections, with a client written for this one use: whole requests out, responses in
// as they arrive. It takes half the CPU time of a general client (docs/decisions/0008). HTTP/1.1 avoids head-of-line
// blocking between streams on a shared connection. Proxies are left to adapters/undici. Its only clock is the connect
// timeout; a silent provider is ended by the attempt.

import { createSecureContext } from 'node:tls';
import type { Clock } from '../../kernel/clock.ts';
import { TurnQueue } from '../../kernel/next-turn.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { Exchange } from './exchange.ts';
import { createSocketOpener, readOrigin } from './open-socket.ts';
import { OriginPool } from './origin-pool.ts';
import { RequestHeads } from './request-head.ts';
import { createRequestSender } from './send-request.ts';

export type Http1UpstreamOptions = {
  readonly connectTimeoutMs: number;
  readonly maxConnectionsPerOrigin: number;
  readonly clock: Clock;
  /** PEM certificates of the trusted authorities, in place of Node's defaults. */
  readonly ca?: readonly string[] | undefined;
};

/** Connections of large answers that read in one turn of the event loop. */
const READS_PER_TURN = 4;

export function createHttp1Upstream(options: Http1UpstreamOptions): Upstream {
  const { connectTimeoutMs, maxConnectionsPerOrigin: maxConnections, clock, ca } = options;
  const openSocket = createSocketOpener(ca && createSecureContext({ ca: [...ca] }));
  const readTurns = new TurnQueue(READS_PER_TURN);
  const pools = new Map<string, OriginPool>();
  let closing: Promise<void> | undefined;

  function poolFor(text: string): OriginPool {
    let pool = pools.get(text);
    if (!pool) {
      const origin = readOrigin(text);
      const sendRequest = createRequestSender(origin.isSecure);
      const heads = new RequestHeads(origin.host);
      const sockets = { origin, openSocket, heads, sendRequest, readTurns, connectTimeoutMs };
      pool = new OriginPool({ ...sockets, maxConnections, clock });
      pools.set(text, pool);
    }
    return pool;
  }

  return {
    send(request, listener) {
      const exchange = new Exchange(request, listener);
      poolFor(request.origin).send(exchange);
      return exchange;
    },
    close() {
      closing ??= Promise.all([...pools.values()].map((pool) => pool.close())).then(() => {});
      return closing;
    },
  };
}
