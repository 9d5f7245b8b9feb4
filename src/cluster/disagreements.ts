// Differences between the opinions of servers. Servers share limits and circuits, so a difference that outlasts a
// message is a fault worth a line in the status. Opinions are taken with each beat, at different times: a server
// disagrees only if a heartbeat of it lacks the entry after the other servers have known the entry for
// `PROPAGATION_MS`.

import type { OpinionEntry, OpinionSubject } from './opinions.ts';
import { liveServers, type RegisteredServer, type RegistrySnapshot } from './server-record.ts';

export type Disagreement = {
  readonly subject: OpinionSubject;
  readonly provider: string;
  readonly region: string;
  readonly knownBy: readonly string[];
  readonly unknownTo: readonly string[];
};

/**
 * Longer than the delivery of a message, and longer than the difference between two servers' readings of the registry's
 * clock.
 */
const PROPAGATION_MS = 1000;

export function findDisagreements(snapshot: RegistrySnapshot): readonly Disagreement[] {
  const servers = liveServers(snapshot);
  const subjects = new Map<string, { entry: OpinionEntry; knownBy: RegisteredServer[] }>();
  for (const server of servers)
    for (const entry of server.opinion.entries) {
      const id = `${entry.subject} ${entry.provider} ${entry.region}`;
      const known = subjects.get(id) ?? { entry, knownBy: [] };
      known.knownBy.push(server);
      subjects.set(id, known);
    }
  return [...subjects.values()].flatMap(({ entry: { subject, provider, region }, knownBy }) => {
    const unknownTo = servers.filter((server) =>
      knownBy.some((other) => shouldKnow(server, other, { subject, provider, region })),
    );
    if (unknownTo.length === 0) return [];
    return [{ subject, provider, region, knownBy: idsOf(knownBy), unknownTo: idsOf(unknownTo) }];
  });
}

type Subject = Pick<OpinionEntry, 'subject' | 'provider' | 'region'>;

/**
 * True if, at the server's beat, the other server had known the entry for `PROPAGATION_MS` and the entry still applied.
 */
function shouldKnow(server: RegisteredServer, other: RegisteredServer, subject: Subject): boolean {
  if (entryOf(server, subject)) return false;
  const entry = entryOf(other, subject);
  if (!entry) return false;
  const since = other.lastHeartbeat - entry.forMs;
  const until = other.lastHeartbeat + (entry.endsInMs ?? 0);
  return since + PROPAGATION_MS < server.lastHeartbeat && server.lastHeartbeat <= until;
}

function entryOf({ opinion }: RegisteredServer, wanted: Subject): OpinionEntry | undefined {
  return opinion.entries.find(
    ({ subject, provider, region }) =>
      subject === wanted.subject && provider === wanted.provider && region === wanted.region,
  );
}

function idsOf(servers: readonly RegisteredServer[]): readonly string[] {
  return servers.map(({ id }) => id).toSorted();
}
