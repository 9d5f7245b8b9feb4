// Opens the connections to providers: the HTTP/1 client of adapters/http1 for direct ones, undici where a proxy is
// configured.

import { createHttp1Upstream } from '../../adapters/http1/upstream.ts';
import type { Config } from '../../config/config.ts';
import { withReserve } from '../../flow/serve/request-slots.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createDecodedUpstream } from '../../upstream/decoded-upstream.ts';
import { createProxiedUpstream } from '../../upstream/proxied-upstream.ts';
import { createProxyRule } from '../../upstream/proxy-rule.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { readAuthorities } from './read-authorities.ts';

export async function openUpstream(config: Config, clock: Clock): Promise<Upstream> {
  return createDecodedUpstream(await openEncoded(config, clock));
}

async function openEncoded(config: Config, clock: Clock): Promise<Upstream> {
  const { caFile, httpsProxy, httpProxy, noProxy, proxyLoopback } = config.upstream;
  const options = {
    connectTimeoutMs: config.timeouts.connectMs,
    // Requests and jobs have separate connection limits, so that neither waits for the other's connections.
    maxConnectionsPerOrigin:
      withReserve(config.cluster.maxConcurrentBuilds) + config.worker.concurrency,
    ca: caFile === undefined ? undefined : readAuthorities('UPSTREAM_CA_FILE', caFile),
  };
  const direct = createHttp1Upstream({ ...options, clock });
  if (httpsProxy === undefined && httpProxy === undefined) return direct;
  const { createUndiciUpstream } = await import('../../adapters/undici/upstream.ts');
  return createProxiedUpstream({
    rule: createProxyRule({ httpsProxy, httpProxy, noProxy, proxyLoopback }),
    direct,
    openThrough: (proxyUrl) => createUndiciUpstream({ ...options, proxyUrl }),
  });
}
