// Reads the address of a deployment. An address may be in a variable; unlike a key it is looked up and written into
// spillway.yaml, where `baseUrl` has no variable of the peer's choice.

import type { Endpoint } from './endpoints.ts';

export type AddressLookup = { readonly baseUrl: string | undefined } | { readonly reason: string };

export function readAddress(
  endpoint: Endpoint,
  text: string | undefined,
  reference: string | undefined,
  lookUp: (variable: string) => string | undefined,
): AddressLookup {
  const stated = reference === undefined ? text : lookUp(reference);
  if (reference !== undefined && stated === undefined)
    return {
      reason: `its address is in the variable ${reference}, which is not set here; set it and import again`,
    };
  if (stated === undefined)
    return endpoint.baseUrl === undefined
      ? { reason: `the file states no address of its ${endpoint.name} server` }
      : { baseUrl: undefined };
  const url = URL.parse(stated.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    return { reason: 'its address is not a web address' };
  if (url.username + url.password + url.search + url.hash !== '')
    return { reason: 'its address contains credentials, a query or a fragment' };
  const baseUrl = stated.trim().replace(/\/+$/, '');
  return { baseUrl: isVendors(endpoint, baseUrl) ? undefined : baseUrl };
}

function isVendors({ baseUrl = '' }: Endpoint, stated: string): boolean {
  const plain = (address: string): string => address.replace(/\/v1(?:beta)?$/, '');
  return plain(stated) === plain(baseUrl);
}
