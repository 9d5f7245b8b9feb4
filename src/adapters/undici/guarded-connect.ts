// Connects to the addresses that the egress rule allows. The rule is applied to the addresses that are then connected to,
// so that a name cannot resolve differently between check and use (DNS rebinding). A name with one private address is
// refused as a whole.

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
  /** The system's resolver by default. */
  readonly resolve?: Resolve;
};

export function createGuardedConnect(parts: GuardedConnectParts): buildConnector.connector {
  const { rule, connectTimeoutMs, resolve = resolveBySystem } = parts;
  const lookup: LookupFunction = (hostname, { all }, onResolved) => {
    resolveAllowed(rule, resolve, hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) onResolved(null, [...addresses]);
        else onResolved(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: Error) => onResolved(error, ''),
    );
  };
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
  return (options, callback) => {
    // An IP address is not looked up, so the rule is applied here.
    if (rule.refusesHost(options.hostname)) return callback(refused(), null);
    connect(options, callback);
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
