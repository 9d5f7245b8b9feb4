// The address in REDIS_URL as options of the driver: a Redis itself (`redis://`, `rediss://`), or the Sentinels that know
// which Redis is the primary (`redis+sentinel://user:password@host:port,host:port/name/database`; `rediss+sentinel://` uses
// TLS for both). User and password belong to Redis; the query has the Sentinels' credentials.

import type { RedisOptions } from 'ioredis';
import { type HostListUrl, parseHostList } from '../../../kernel/host-list.ts';

export type RedisAddress = {
  readonly url: string;
  /** The certificate authorities to trust for TLS; Node's own by default. */
  readonly ca?: readonly string[] | undefined;
};

const SENTINEL_PORT = 26_379;

/** The first argument of the driver and the options that depend on the address. */
export function addressOptions({ url, ca }: RedisAddress): RedisOptions & { url?: string } {
  const sentinels = isSentinelUrl(url) ? parseHostList(url) : undefined;
  const tls = ca === undefined ? {} : { ca: [...ca] };
  if (sentinels) return sentinelOptions(sentinels, tls);
  return { url, ...(url.startsWith('rediss:') ? { tls } : {}) };
}

export function isSentinelUrl(url: string): boolean {
  return /^rediss?\+sentinel:/i.test(url);
}

/** Hosts, ports and the name or database, without the credentials. */
export function addressOf(url: string): string {
  const parsed = parseHostList(url);
  if (!parsed) return 'localhost';
  const { pathname } = parsed.url;
  return `${parsed.hosts.join(',')}${pathname === '/' ? '' : pathname}`;
}

function sentinelOptions({ url, hosts }: HostListUrl, tls: object): RedisOptions {
  const [name = '', database = '0'] = url.pathname.slice(1).split('/');
  const parameter = (key: string) => url.searchParams.get(key) ?? undefined;
  const usesTls = url.protocol.startsWith('rediss');
  return {
    sentinels: hosts.map(endpointOf),
    name: decodeURIComponent(name),
    db: Number(database),
    ...credentialsOf(url),
    ...definedOnly({
      sentinelUsername: parameter('sentinelUsername'),
      sentinelPassword: parameter('sentinelPassword'),
    }),
    ...(usesTls ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  };
}

function endpointOf(host: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${host}`);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? SENTINEL_PORT : Number(port),
  };
}

function credentialsOf({ username, password }: URL): RedisOptions {
  if (password === '') return {};
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    password: decodeURIComponent(password),
  };
}

function definedOnly(options: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(options).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}
