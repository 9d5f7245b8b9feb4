// Ranks the servers that can serve a call in place of this one. Pure: by priority, and among servers of one priority by
// power of two choices on their load, which spreads simultaneous choices of many servers better than always taking the
// least loaded one.

import { matchesPattern } from '../kernel/name-pattern.ts';
import { type CircuitKey, circuitLabel, withModel } from '../resilience/circuit-key.ts';
import { isSuspected, type RegisteredServer, type RegistrySnapshot } from './server-record.ts';

export type RoutedCall = {
  readonly provider: string;
  /** The name in the request: a model, an alias, or `provider/model`. */
  readonly model: string;
};

export type SelectionTerms = {
  /** Undefined for work of the application itself: any server with a slot can do it. */
  readonly call: RoutedCall | undefined;
  /** This server, and servers that were tried already. */
  readonly excluded: ReadonlySet<string>;
  /** Whether a provider limit that this server knows applies to that account, or to its model. */
  isLimited(scope: CircuitKey): boolean;
};

export type ExclusionReason =
  | 'excluded'
  | 'no_gateway'
  | 'suspected'
  | 'maintenance'
  | 'draining'
  | 'unhealthy'
  | 'incapable'
  | 'limited'
  | 'full';

/** Why a server cannot take the call; undefined if it can. */
export function exclusionReason(
  server: RegisteredServer,
  terms: SelectionTerms,
  now: number,
): ExclusionReason | undefined {
  if (terms.excluded.has(server.id)) return 'excluded';
  if (!server.isGateway || server.url === undefined) return 'no_gateway';
  if (isSuspected(server, now)) return 'suspected';
  if (server.isMaintenanceMode) return 'maintenance';
  if (server.isDraining) return 'draining';
  if (server.health === 'unhealthy') return 'unhealthy';
  const { call } = terms;
  if (call && !isCapable(server, call)) return 'incapable';
  if (call && scopesOf(server, call).every((scope) => isLimited(server, scope, terms)))
    return 'limited';
  return server.currentLoad >= server.maxConcurrentBuilds ? 'full' : undefined;
}

/** The best server first; the next ones are for a server that fails. `random` returns [0, 1). */
export function rankServers(
  { now, servers }: RegistrySnapshot,
  terms: SelectionTerms,
  random: () => number,
): readonly RegisteredServer[] {
  const able = servers.filter((server) => exclusionReason(server, terms, now) === undefined);
  const priorities = [...new Set(able.map(({ priority }) => priority))].toSorted((a, b) => a - b);
  return priorities.flatMap((priority) =>
    drawAll(
      able.filter((server) => server.priority === priority),
      random,
    ),
  );
}

function drawAll(equals: readonly RegisteredServer[], random: () => number): RegisteredServer[] {
  const left = [...equals];
  const ranked: RegisteredServer[] = [];
  while (left.length > 0) ranked.push(...left.splice(drawOne(left, random), 1));
  return ranked;
}

/** The index of the less loaded of two servers drawn at random. */
function drawOne(servers: readonly RegisteredServer[], random: () => number): number {
  const first = Math.floor(random() * servers.length);
  if (servers.length === 1) return first;
  const other = Math.floor(random() * (servers.length - 1));
  const second = other < first ? other : other + 1;
  return loadOf(servers[second]) < loadOf(servers[first]) ? second : first;
}

function loadOf(server: RegisteredServer | undefined): number {
  return server ? server.currentLoad / server.maxConcurrentBuilds : Number.POSITIVE_INFINITY;
}

function isCapable({ capabilities }: RegisteredServer, { provider, model }: RoutedCall): boolean {
  if (!capabilities.providers.includes(provider)) return false;
  return (
    model.startsWith(`${provider}/`) ||
    capabilities.models.some((pattern) => matchesPattern(pattern, model))
  );
}

function scopesOf({ capabilities }: RegisteredServer, { provider, model }: RoutedCall) {
  return capabilities.scopes
    .filter((scope) => scope.provider === provider)
    .map((scope) => withModel(scope, model));
}

/** Whether this server or the other one knows a limit of the account or of the model. */
function isLimited(server: RegisteredServer, scope: CircuitKey, terms: SelectionTerms): boolean {
  if (terms.isLimited(scope)) return true;
  const { model: _, ...account } = scope;
  const labels = new Set([circuitLabel(scope), circuitLabel(account)]);
  return server.opinion.entries.some(
    ({ subject, provider, region, endsInMs = 0 }) =>
      subject === 'limit' && provider === scope.provider && labels.has(region) && endsInMs > 0,
  );
}
