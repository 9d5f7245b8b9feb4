// One reading of everything that can be wrong. A part that cannot be read is undefined: its page is then `unknown`
// instead of good. `app/` takes the reading.

import type { RegisteredServer } from '../../cluster/server-record.ts';
import type { RecentFigures } from '../../series/recent-figures.ts';
import type { Breaker, ProviderLimit, RegionCapacity } from '../api/capacity.ts';
import type { QueueFigures } from '../api/jobs.ts';
import type { LiveAlert } from '../api/live.ts';
import type { OrganizationSpend } from '../api/money.ts';

export type Facts = {
  readonly now: number;
  /** Limits in force. */
  readonly limits: readonly ProviderLimit[];
  /** Circuits that are not closed. */
  readonly circuits: readonly Breaker[];
  readonly capacity: readonly RegionCapacity[];
  readonly servers: readonly (RegisteredServer & { readonly isSuspected: boolean })[];
  readonly dependencies: readonly {
    readonly name: 'store' | 'redis' | 'broker';
    readonly status: 'up' | 'down';
  }[];
  readonly queues: readonly QueueFigures[] | undefined;
  readonly deadLetters: number | undefined;
  readonly alerts: readonly LiveAlert[] | undefined;
  /** The organisations closest to the end of their budgets. */
  readonly budgets: readonly OrganizationSpend[] | undefined;
  /** The last five minutes of the cluster. */
  readonly recent: RecentFigures | undefined;
};
