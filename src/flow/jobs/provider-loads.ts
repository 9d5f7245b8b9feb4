// The loads of all providers for the strategy LEAST_LOADED. Queue depths are read at most once a second, together, and never
// for each message; until the next reading the messages that this dispatcher has routed since are added, so that one
// reading does not send a second's messages to one provider. While the queues are unavailable the last depths count.

import type { Clock } from '../../kernel/clock.ts';
import { type AccountCapacity, providerLoad } from '../../routing/provider-load.ts';

export type ProviderLoads = {
  /** By provider. Never rejects. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** A message was routed to the provider. */
  routed(provider: string): void;
};

export type ProviderLoadParts = {
  readonly providers: readonly string[];
  /** The messages on the provider's queue: ready, delayed and in flight. */
  readonly depthOf: (provider: string) => Promise<number>;
  /** Read from local copies for each message. */
  readonly accountsOf: (provider: string) => readonly AccountCapacity[];
  readonly clock: Pick<Clock, 'monotonic'>;
};

const VALID_MS = 1000;

export function createProviderLoads(parts: ProviderLoadParts): ProviderLoads {
  const { providers, depthOf, accountsOf, clock } = parts;
  const depths = new Map<string, number>();
  const routed = new Map<string, number>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function readDepth(provider: string): Promise<void> {
    const before = routed.get(provider) ?? 0;
    const depth = await depthOf(provider);
    depths.set(provider, depth);
    // Messages that were routed during the reading may not be part of it.
    routed.set(provider, (routed.get(provider) ?? 0) - before);
  }

  async function refresh(): Promise<void> {
    readAtMs = clock.monotonic();
    await Promise.allSettled(providers.map(readDepth));
    reading = undefined;
  }

  function loadOf(provider: string): number {
    const waiting = (depths.get(provider) ?? 0) + (routed.get(provider) ?? 0);
    return providerLoad({ waiting, accounts: accountsOf(provider) });
  }

  return {
    async read() {
      if (clock.monotonic() - readAtMs >= VALID_MS) reading ??= refresh();
      await reading;
      return new Map(providers.map((provider) => [provider, loadOf(provider)]));
    },
    routed(provider) {
      routed.set(provider, (routed.get(provider) ?? 0) + 1);
    },
  };
}
