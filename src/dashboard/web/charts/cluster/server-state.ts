// The state of a server in one word and one tone, and the disagreements it takes part in. A server that knows a limit
// unknown to others, or lacks a limit known to others, has two tones on the map.

import type { ClusterServer, ClusterStatus, Disagreement } from '../../../api/cluster.ts';
import type { State } from '../tone.ts';

export type ServerState = { readonly tone: State; readonly word: string; readonly reason: string };

export function serverState(server: ClusterServer): ServerState {
  if (server.isSuspected) {
    return { tone: 'bad', word: 'silent', reason: 'It has missed three heartbeats.' };
  }
  if (server.isDraining) {
    return {
      tone: 'degraded',
      word: 'draining',
      reason: 'It finishes its work and accepts no new requests.',
    };
  }
  if (server.isMaintenanceMode) {
    return { tone: 'degraded', word: 'maintenance', reason: 'Other servers take its requests.' };
  }
  if (server.health === 'unhealthy') {
    return { tone: 'bad', word: 'unhealthy', reason: 'It cannot serve requests.' };
  }
  if (server.health === 'degraded') {
    return {
      tone: 'degraded',
      word: 'degraded',
      reason: 'It serves requests with a limit or an open circuit.',
    };
  }
  return { tone: 'good', word: 'healthy', reason: 'It serves requests.' };
}

export function disagreementsOf(
  { disagreements }: Pick<ClusterStatus, 'disagreements'>,
  serverId: string,
): readonly Disagreement[] {
  return disagreements.filter(
    ({ knownBy, unknownTo }) => knownBy.includes(serverId) || unknownTo.includes(serverId),
  );
}

/** "eu-1 knows a limit of anthropic us-east that eu-2 does not know." */
export function disagreementText({
  subject,
  provider,
  region,
  knownBy,
  unknownTo,
}: Disagreement): string {
  const noun = subject === 'limit' ? 'a limit' : 'an open circuit';
  return `${listText(knownBy)} ${knownBy.length === 1 ? 'knows' : 'know'} ${noun} of ${provider} ${region}; ${listText(unknownTo)} ${unknownTo.length === 1 ? 'does' : 'do'} not.`;
}

function listText(names: readonly string[]): string {
  if (names.length <= 3) return names.join(' and ');
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more servers`;
}
