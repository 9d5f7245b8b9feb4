// The port over which servers share headroom readings. Only the latest reading of a scope matters, so a lost message needs no
// repair: the provider's next answer replaces it.

import type { CircuitKey } from '../resilience/circuit-key.ts';
import type { HeadroomGauges } from './headroom-headers.ts';

/** Providers count per account, and most of their limits per model: both are always set. */
export type HeadroomKey = CircuitKey & { readonly account: string; readonly model: string };

export type HeadroomReading = {
  readonly key: HeadroomKey;
  readonly gauges: HeadroomGauges;
  /** When the provider answered, in epoch milliseconds of this server. */
  readonly readAt: number;
};

export type HeadroomExchange = {
  /** Synchronous, never throws. Drops readings that follow each other too closely. */
  publish(reading: HeadroomReading): void;
  /** Delivers the readings of other servers. Resolves when their latest are delivered, or cannot be read. */
  subscribe(onReading: (reading: HeadroomReading) => void): Promise<void>;
  close(): Promise<void>;
};
