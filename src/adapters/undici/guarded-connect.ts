// Connects to where the egress rule allows, and asks it at the last moment: the addresses that a name resolves to are
// checked and then connected to, so that a name cannot mean one thing when it is checked and another when it is used.
// A name with one address that is not public is refused whole. What cannot be resolved is refused by the resolver.

import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { type EgressRule, isPublicAddress } from '../../kernel/egress-rule.ts';

export type ResolvedAddress = { readonly address: string; readonly family: number };

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export type GuardedConnectParts = {
  readonly rule: EgressRule;
  readonly connectTimeoutMs: number;
  /** The system's own resolver, unless a test has another. */
  readonly resolve?: Resolve;
};

export function createGuardedConnect(parts: GuardedConnectParts): buildConnector.connector {
  const { rule, connectTimeoutMs, resolve = resolveBySystem } = parts;
  const lookup: LookupFunction = (hostname, { all }, tell) => {
    resolveAllowed(rule, resolve, hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) tell(null, [...addresses]);
        else tell(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: Error) => tell(error, ''),
    );
  };
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
  return (options, tell) => {
    // An address needs no looking up, so the rule is asked here.
    if (rule.refusesHost(options.hostname)) return tell(refused(), null);
    connect(options, tell);
  };
}

export async function resolveAllowed(
  rule: EgressRule,
  resolve: Resolve,
  hostname: string,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new Error('the name has no address');
  const isAllowed = rule.isNamed(hostname) || addresses.every(isPublic);
  if (!isAllowed) throw refused();
  return addresses.map(({ address }) => ({ address, family: isIP(address) }));
}

function isPublic({ address }: ResolvedAddress): boolean {
  return isPublicAddress(address);
}

function resolveBySystem(hostname: string): Promise<readonly ResolvedAddress[]> {
  return systemLookup(hostname, { all: true });
}

export function refused(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the address is not public and not allowed');
}
