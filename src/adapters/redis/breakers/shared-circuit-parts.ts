// The dependencies and terms of one circuit of a server in a cluster.

import type { Clock } from '../../../kernel/clock.ts';
import type { CircuitTransition } from '../../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../../resilience/circuit-breaker.ts';
import type { CircuitKey } from '../../../resilience/circuit-key.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import type { CircuitStore } from './circuit-store.ts';

export type SharedCircuitParts = {
  readonly key: CircuitKey;
  readonly store: CircuitStore;
  readonly link: Pick<RedisLink, 'isUp'>;
  readonly clock: Clock;
  readonly rules: BreakerRules;
  readonly me: string;
  readonly newProbeId: () => string;
  /** How long the probe of a dead server blocks the next one. */
  readonly leaseMs: number;
  readonly longestCallMs: number;
  /** False while an organisation's circuit must not open, because the circuit of all organisations is open. */
  readonly mayOpen?: () => boolean;
  readonly onTransition: (transition: CircuitTransition) => void;
};
