// Where Spillway may connect to on behalf of a caller: to public addresses, and to hosts that an operator names. Names
// mean nothing until they are resolved, so the rule is about addresses and is asked when connecting, with the very
// address that is connected to. IPv4 is public unless it is set aside; IPv6 only within what is given out to the
// public, which leaves out every way to write an IPv4 address in it: mapped, NAT64, 6to4, Teredo. Pure.

import { BlockList, isIP } from 'node:net';

export type EgressRule = {
  /** Whether an operator named the host: then any address of it may be connected to. */
  isNamed(host: string): boolean;
  /** Whether the host is refused by its name alone: an address that is not public, or this machine. */
  refusesHost(host: string): boolean;
};

export function createEgressRule(allowHosts: readonly string[]): EgressRule {
  const named = new Set(allowHosts.map(plainHost));
  return {
    isNamed: (host) => named.has(plainHost(host)),
    refusesHost(host) {
      const plain = plainHost(host);
      if (named.has(plain)) return false;
      if (isIP(plain) !== 0) return !isPublicAddress(plain);
      return plain === '' || /(?:^|\.)localhost$/.test(plain);
    },
  };
}

export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 4) return !SET_ASIDE_4.check(address, 'ipv4');
  return version === 6 && GLOBAL_6.check(address, 'ipv6') && !SET_ASIDE_6.check(address, 'ipv6');
}

/** As it is compared: `[::1]` is `::1`, and a name may end in a dot. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

const SET_ASIDE_4 = blocks('ipv4', [
  ['0.0.0.0', 8], // This network; 0.0.0.0 is this machine.
  ['10.0.0.0', 8], // Private.
  ['100.64.0.0', 10], // Shared by carriers; a cloud keeps its metadata there.
  ['127.0.0.0', 8], // This machine.
  ['168.63.129.16', 32], // A cloud's own services, at a public address.
  ['169.254.0.0', 16], // This link; where clouds keep their metadata.
  ['172.16.0.0', 12], // Private.
  ['192.0.0.0', 24], // Protocol assignments.
  ['192.0.2.0', 24], // Documentation.
  ['192.88.99.0', 24], // Relays of 6to4.
  ['192.168.0.0', 16], // Private.
  ['198.18.0.0', 15], // Benchmarks.
  ['198.51.100.0', 24], // Documentation.
  ['203.0.113.0', 24], // Documentation.
  ['224.0.0.0', 4], // Multicast.
  ['240.0.0.0', 4], // Reserved; the last one is broadcast.
]);

const GLOBAL_6 = blocks('ipv6', [['2000::', 3]]);

const SET_ASIDE_6 = blocks('ipv6', [
  ['2001::', 23], // Protocol assignments, Teredo among them.
  ['2001:db8::', 32], // Documentation.
  ['2002::', 16], // 6to4: an IPv4 address inside.
  ['3fff::', 20], // Documentation.
]);

function blocks(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]) {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family);
  return list;
}
