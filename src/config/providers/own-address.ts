// Refuses a base URL that is this server's own address: every call would return to it and multiply. That happens when a
// server starts in a shell which is set up for its clients (`ANTHROPIC_BASE_URL`). Loops through other servers are detected per
// request (upstream/hops).

import { networkInterfaces } from 'node:os';
import type { Config } from '../config.ts';
import { ConfigError, showName, showValue } from '../config-error.ts';
import { variableOf } from '../read-rows.ts';
import { PROVIDER_ROWS } from '../schema/named-settings.ts';
import { isLoopback, type Role } from './simulator-stand-in.ts';

export function assertNoOwnAddress(config: Config, { role }: { readonly role: Role }): void {
  if (role !== 'serve' && role !== 'gateway') return;
  for (const { name, baseUrl } of Object.values(config.providers)) {
    if (!isOwnAddress(new URL(baseUrl), config)) continue;
    const variable = variableOf(PROVIDER_ROWS.baseUrl, name) ?? 'baseUrl';
    throw new ConfigError(
      `${variable} of the provider ${showName(name)} is ${showValue(baseUrl)}, which is this server itself, so that every call would return to it; unset ${variable}, or set it to the address of the provider.`,
    );
  }
}

function isOwnAddress(url: URL, { server, cluster }: Config): boolean {
  if (cluster.serverUrl !== undefined && new URL(cluster.serverUrl).origin === url.origin)
    return true;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return server.port !== 0 && port === server.port && isOwnHost(hostOf(url), server.host);
}

/** Every name of the loopback address counts: `localhost` may resolve to either of them. */
function isOwnHost(host: string, listening: string): boolean {
  if (host === listening) return true;
  const isLocal = isLoopback(host) || WILDCARDS.has(host);
  if (isLoopback(listening)) return isLocal;
  if (!WILDCARDS.has(listening)) return false;
  return isLocal || interfaceAddresses().includes(host);
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}
