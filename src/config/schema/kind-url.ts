// URLs, validated by scheme. URLs of services may contain a password, which is masked in output.

import { z } from 'zod';
import { parseHostList } from '../../kernel/host-list.ts';
import type { Mask } from '../mask.ts';
import { maskAddress, maskSecretAddress } from '../mask.ts';
import type { Kind } from './kind.ts';

/** The URL of a service, credentials allowed: `postgres://user:password@host/name`. */
export function serviceUrl(...schemes: string[]): Kind<string> {
  return url(schemes, maskAddress, () => true);
}

/** Redis, or the Sentinels that know its primary: `redis+sentinel://user:password@host:port,host:port/name`. */
export function redisUrl(): Kind<string> {
  const kind = serviceUrl('redis', 'rediss');
  const isAllowed = (value: string) => kind.schema.safeParse(value).success || isSentinel(value);
  return {
    ...kind,
    schema: z.string().trim().refine(isAllowed),
    allowed: `${kind.allowed}, or redis+sentinel://host:port,host:port/name for Sentinels`,
  };
}

function isSentinel(value: string): boolean {
  const parsed = parseHostList(value);
  if (!parsed || /\s/.test(value)) return false;
  return (
    /^rediss?\+sentinel:$/.test(parsed.url.protocol) &&
    /^\/[^/]+(\/\d*)?$/.test(parsed.url.pathname)
  );
}

/** An HTTP proxy, credentials allowed. Without a scheme it is `http://`, as other programs read these variables. */
export function proxyUrl(): Kind<string> {
  const kind = serviceUrl('http', 'https');
  const schema = z
    .string()
    .trim()
    .transform((value) => (value.includes('://') ? value : `http://${value}`))
    .refine((value) => kind.schema.safeParse(value).success);
  return { ...kind, schema };
}

/** An HTTP URL that is a secret as a whole, such as a webhook. */
export function secretUrl(): Kind<string> {
  return url(['https', 'http'], maskSecretAddress, () => true);
}

/** A public HTTP URL: no credentials, no query; a trailing slash is removed. */
export function publicUrl(): Kind<string> {
  const kind = url(['https', 'http'], maskAddress, isPlain);
  return {
    ...kind,
    schema: kind.schema.transform((value) => value.replace(/\/+$/, '')),
    allowed: `${kind.allowed}, without credentials, query or fragment`,
  };
}

function url(schemes: readonly string[], mask: Mask, accepts: (url: URL) => boolean): Kind<string> {
  const isAllowed = (value: string): boolean => {
    const parsed = URL.parse(value);
    if (!parsed || parsed.host === '' || /\s/.test(value)) return false;
    return schemes.includes(parsed.protocol.slice(0, -1)) && accepts(parsed);
  };
  return {
    schema: z.string().trim().refine(isAllowed),
    allowed: `an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    mask,
    write: String,
  };
}

function isPlain(parsed: URL): boolean {
  return parsed.username + parsed.password + parsed.search + parsed.hash === '';
}
