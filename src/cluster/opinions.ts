// What one server believes about providers: the limits and open circuits that it knows, and for how long. Servers share
// both, so a difference that outlasts a message is a fault worth a line in the status. Opinions are taken with each beat, at
// different times: a server disagrees only if it beat, without the entry, after the others had known it for a while.

import type { Clock } from '../kernel/clock.ts';
import { type CircuitKey, circuitId, circuitLabel } from '../resilience/circuit-key.ts';
import { liveServers, type RegisteredServer, type RegistrySnapshot } from './server-record.ts';

export type OpinionSubject = 'limit' | 'circuit';

export type OpinionEntry = {
  readonly subject: OpinionSubject;
  readonly provider: string;
  /** The label of a circuit key below the provider. */
  readonly region: string;
  /** The reset of a limit, epoch milliseconds as the provider stated them. */
  readonly resetAt?: number | undefined;
  readonly state?: 'open' | 'half_open' | undefined;
  /** How long this server had known it at its beat. */
  readonly forMs: number;
  /** How much longer it applies, where that is known. */
  readonly endsInMs?: number | undefined;
};

export type Opinion = {
  readonly entries: readonly OpinionEntry[];
  /** Provider accounts whose credential the provider refuses. */
  readonly refusedAccounts: readonly { readonly provider: string; readonly account: string }[];
  /** False while this server cannot share what it learns. */
  readonly isSharing: boolean;
};

export const NO_OPINION: Opinion = Object.freeze({
  entries: [],
  refusedAccounts: [],
  isSharing: true,
});

/** The record of a server stays small, whatever callers provoke. */
export const MAX_OPINION_ENTRIES = 50;

export type KnownLimit = CircuitKey & { readonly resetAt: number };
export type KnownCircuit = { readonly key: CircuitKey; readonly state: 'open' | 'half_open' };

/** Builds the entries of this server's opinion and remembers since when each holds. */
export function createOpinionTracker(
  clock: Pick<Clock, 'now' | 'monotonic'>,
): (limits: readonly KnownLimit[], circuits: readonly KnownCircuit[]) => readonly OpinionEntry[] {
  let sinceMs = new Map<string, number>();

  return (limits, circuits) => {
    const nowMs = clock.monotonic();
    const known = new Map<string, number>();
    function ageOf(subject: OpinionSubject, key: CircuitKey): number {
      const id = `${subject}:${circuitId(key)}`;
      const since = sinceMs.get(id) ?? nowMs;
      known.set(id, since);
      return nowMs - since;
    }
    const entries: OpinionEntry[] = [];
    for (const limit of limits.slice(0, MAX_OPINION_ENTRIES)) {
      const { provider, resetAt } = limit;
      const endsInMs = resetAt - clock.now();
      const forMs = ageOf('limit', limit);
      entries.push({
        subject: 'limit',
        provider,
        region: circuitLabel(limit),
        resetAt,
        forMs,
        endsInMs,
      });
    }
    for (const { key, state } of circuits.slice(0, MAX_OPINION_ENTRIES - entries.length))
      entries.push({
        subject: 'circuit',
        provider: key.provider,
        region: circuitLabel(key),
        state,
        forMs: ageOf('circuit', key),
      });
    sinceMs = known;
    return entries;
  };
}

export type Disagreement = {
  readonly subject: OpinionSubject;
  readonly provider: string;
  readonly region: string;
  readonly knownBy: readonly string[];
  readonly unknownTo: readonly string[];
};

/** Longer than a message takes, and than two servers' readings of one clock differ. */
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

/** At the server's beat the other one had known the entry for a while, and it still applied. */
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
