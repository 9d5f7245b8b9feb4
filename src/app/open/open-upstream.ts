// Opens the connections to providers: our own HTTP/1 client for direct ones, undici where a proxy is configured.

import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { createHttp1Upstream } from '../../adapters/http1/upstream.ts';
import { createUndiciUpstream } from '../../adapters/undici/upstream.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createProxiedUpstream } from '../../upstream/proxied-upstream.ts';
import { createProxyRule } from '../../upstream/proxy-rule.ts';
import type { Upstream } from '../../upstream/upstream.ts';

export function openUpstream(config: Config, clock: Clock): Upstream {
  const { caFile, httpsProxy, httpProxy, noProxy, proxyLoopback } = config.upstream;
  const options = {
    connectTimeoutMs: config.timeouts.connectMs,
    maxConnectionsPerOrigin: config.cluster.maxConcurrentBuilds,
    ca: caFile === undefined ? undefined : readAuthorities(caFile),
  };
  const direct = createHttp1Upstream({ ...options, clock });
  if (httpsProxy === undefined && httpProxy === undefined) return direct;
  return createProxiedUpstream({
    rule: createProxyRule({ httpsProxy, httpProxy, noProxy, proxyLoopback }),
    direct,
    openThrough: (proxyUrl) => createUndiciUpstream({ ...options, proxyUrl }),
  });
}

/** A list of authorities replaces Node's own, so both are in it. */
function readAuthorities(path: string): readonly string[] {
  const pem = readPem(path);
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`UPSTREAM_CA_FILE (${path}) contains no PEM certificate.`);
  return [...getCACertificates('default'), pem];
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new ConfigError(`UPSTREAM_CA_FILE (${path}) cannot be read (${reason}).`, { cause });
  }
}
