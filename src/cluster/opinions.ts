// The opinion of one server about the providers: the limits and open circuits that it knows, and for how long it has
// known them.

import type { Clock } from '../kernel/clock.ts';
import { type CircuitKey, circuitId, circuitLabel } from '../resilience/circuit-key.ts';

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
  /** Provider accounts with a credential that the provider refuses. */
  readonly refusedAccounts: readonly { readonly provider: string; readonly account: string }[];
};

export const NO_OPINION: Opinion = Object.freeze({
  entries: [],
  refusedAccounts: [],
});

/** Bounds the server record: callers can provoke any number of limits and circuits. */
export const MAX_OPINION_ENTRIES = 50;

export type KnownLimit = CircuitKey & { readonly resetAt: number };
export type KnownCircuit = { readonly key: CircuitKey; readonly state: 'open' | 'half_open' };

/** Builds the entries of this server's opinion and remembers since when each has been known. */
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
