// Decides where Spillway may connect on behalf of a caller (SSRF protection): to public addresses and to hosts that the
// operator allows. A DNS name proves nothing, so the rule applies to the resolved address, at the time of connecting.
// IPv4 addresses are public unless reserved; IPv6 addresses only within 2000::/3, which excludes every embedding of an
// IPv4 address: mapped, NAT64, 6to4, Teredo. Pure.

import { BlockList, isIP } from 'node:net';

export type EgressRule = {
  /** Whether the operator allows the host by name; all its addresses are then allowed. */
  isNamed(host: string): boolean;
  /** Whether the host is refused before DNS: a literal address that is not public, or a name of this machine. */
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
  if (version === 4) return !RESERVED_4.check(address, 'ipv4');
  return version === 6 && GLOBAL_6.check(address, 'ipv6') && !RESERVED_6.check(address, 'ipv6');
}

/** Normalises a host for comparison: `[::1]` is `::1`, and a name may end in a dot. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

const RESERVED_4 = blocks('ipv4', [
  ['0.0.0.0', 8], // This network; 0.0.0.0 is this machine.
  ['10.0.0.0', 8], // Private.
  ['100.64.0.0', 10], // Carrier-grade NAT; one cloud serves its metadata there.
  ['127.0.0.0', 8], // This machine.
  ['168.63.129.16', 32], // Internal services of a cloud, at a public address.
  ['169.254.0.0', 16], // Link-local; clouds serve their metadata there.
  ['172.16.0.0', 12], // Private.
  ['192.0.0.0', 24], // Protocol assignments.
  ['192.0.2.0', 24], // Documentation.
  ['192.88.99.0', 24], // Relays of 6to4.
  ['192.168.0.0', 16], // Private.
  ['198.18.0.0', 15], // Benchmarks.
  ['198.51.100.0', 24], // Documentation.
  ['203.0.113.0', 24], // Documentation.
  ['224.0.0.0', 4], // Multicast.
  ['240.0.0.0', 4], // Reserved, and the broadcast address.
]);

const GLOBAL_6 = blocks('ipv6', [['2000::', 3]]);

const RESERVED_6 = blocks('ipv6', [
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
