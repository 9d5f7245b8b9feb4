// The parts that the job pipeline of a process is opened from.

import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { Egress } from '../../jobs/ports/egress.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Store } from '../open/open-store.ts';
import type { Queues } from './open-queue.ts';

export type JobsContext = {
  readonly store: Store;
  readonly queues: Queues;
  readonly serve: ServeParts;
  readonly egress: Egress;
  readonly serverId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};
