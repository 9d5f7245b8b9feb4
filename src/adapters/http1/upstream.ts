// The port to providers over HTTP/1.1, written for this one use: whole requests, answers as they come. It takes half the
// CPU time of a general client (docs/decisions/0008). HTTP/1.1 on purpose: with it one slow stream cannot hold up another
// on a shared connection. It has no clock but the one for connecting; a provider that falls silent is the attempt's to
// end.

import type { Clock } from '../../kernel/clock.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { Exchange } from './exchange.ts';
import { createSocketOpener, readOrigin } from './open-socket.ts';
import { OriginPool } from './origin-pool.ts';

export type Http1UpstreamOptions = {
  readonly connectTimeoutMs: number;
  readonly maxConnectionsPerOrigin: number;
  readonly clock: Clock;
};

export function createHttp1Upstream(options: Http1UpstreamOptions): Upstream {
  const { connectTimeoutMs, maxConnectionsPerOrigin: maxConnections, clock } = options;
  const openSocket = createSocketOpener();
  const pools = new Map<string, OriginPool>();

  function poolFor(text: string): OriginPool {
    let pool = pools.get(text);
    if (!pool) {
      const origin = readOrigin(text);
      pool = new OriginPool({ origin, openSocket, connectTimeoutMs, maxConnections, clock });
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
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}
