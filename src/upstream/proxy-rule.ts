// Decides which proxy a provider's origin is reached through, by the conventions of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
// Pure. Providers on this machine are reached directly unless `proxyLoopback` is set: a proxy cannot reach them.

import { BlockList, isIP } from 'node:net';

export type ProxySettings = {
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Names (with their subdomains), `*.domain` (subdomains only), `host:port`, addresses, networks, or `*`. */
  readonly noProxy: readonly string[];
  readonly proxyLoopback: boolean;
};

/** The URL of the proxy for an origin; undefined for a direct connection. */
export type ProxyRule = (origin: string) => string | undefined;

export function createProxyRule(settings: ProxySettings): ProxyRule {
  const { httpsProxy, httpProxy, noProxy, proxyLoopback } = settings;
  const exceptions = noProxy.map(readException);
  return (origin) => {
    const url = new URL(origin);
    const host = plainHost(url.hostname);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    if (!proxyLoopback && isLoopback(host)) return undefined;
    if (exceptions.some((matches) => matches(host, port))) return undefined;
    return url.protocol === 'https:' ? httpsProxy : httpProxy;
  };
}

type Exception = (host: string, port: string) => boolean;

function readException(entry: string): Exception {
  if (entry === '*') return () => true;
  const network = readNetwork(entry);
  if (network) return (host) => isIP(host) !== 0 && network.check(host, familyOf(host));
  const { host: pattern, port: onlyPort } = splitPort(entry);
  const name = plainHost(pattern.replace(/^\*?\./, ''));
  const isSubdomainOnly = pattern.startsWith('*.');
  return (host, port) => {
    if (onlyPort !== undefined && onlyPort !== port) return false;
    return (!isSubdomainOnly && host === name) || host.endsWith(`.${name}`);
  };
}

/** `10.0.0.0/8`, `fd00::/8`. */
function readNetwork(entry: string): BlockList | undefined {
  const [address = '', prefix = ''] = entry.split('/');
  const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(prefix);
  if (!isNetwork || Number(prefix) > (isIP(address) === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(prefix), familyOf(address));
  return network;
}

/** A bare IPv6 address has several colons and no port. */
function splitPort(entry: string): { readonly host: string; readonly port: string | undefined } {
  const [, host, port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
  return host === undefined ? { host: entry, port: undefined } : { host, port };
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return LOOPBACK.check(host, familyOf(host));
  return host === 'localhost' || host.endsWith('.localhost');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** `[::1]` becomes `::1`, and the dot that ends a fully qualified name is removed. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
