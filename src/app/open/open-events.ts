// Build events in this process: reporting, reading and retention. On shutdown live readers are disconnected first, so
// that they reconnect to another server while this one drains.

import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Config } from '../../config/config.ts';
import type { Redact } from '../../errors/redact.ts';
import { createEmitEvents } from '../../events/emit-events.ts';
import { startEventPruning } from '../../events/prune-events.ts';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import { createReportLimit, type ReportLimit } from '../../flow/serve/report-limit.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { adminBuildRoutes } from '../../http/routes/admin-builds.ts';
import { buildRoutes } from '../../http/routes/builds.ts';
import { jobEventRoutes } from '../../http/routes/job-events.ts';
import { createLiveReplies } from '../../http/sse-reply.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { accountCircuit, type CircuitKey, circuitId } from '../../resilience/circuit-key.ts';
import { createFindClaim } from '../../routing/claimed-model.ts';
import { targetsOf } from '../../routing/target.ts';
import type { Store } from './open-store.ts';

export type EventsContext = {
  readonly store: Store;
  readonly limits: ProviderLimits;
  readonly gate: Gate;
  readonly reads: OwnReads;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type OpenedEvents = {
  readonly routes: readonly RegisterRoutes[];
  /** Disconnects live readers. Called before the server is closed, which waits for them. */
  endLive(): Promise<void>;
};

export function openEvents(config: Config, context: EventsContext): OpenedEvents {
  const { store, gate, reads, redact, clock, log, lifecycle } = context;
  const { events, watch } = store.builds;
  const live = createLiveReplies(clock);
  const emit = createEmitEvents({
    store: events,
    redact,
    onChanged: (build) => watch.changed(build),
  });
  const reportLimit = openReportLimit(config, context);
  const pruning = startEventPruning({
    store: events,
    keptMs: config.retention.eventsMs,
    clock,
    log,
  });
  lifecycle.onClose('event pruning', () => pruning.close());
  const following = { watch, live, clock };
  const { fields } = config.events;
  return {
    routes: [
      buildRoutes({ emit, reportLimit, events, watch, live, gate, clock, fields, reads }),
      jobEventRoutes({ jobs: store.jobs, history: store.history, gate, reads, following }),
      adminBuildRoutes({ events, redact, clock, gate, fields }),
    ],
    endLive: () => live.close(),
  };
}

function openReportLimit(config: Config, { limits, clock, log }: EventsContext): ReportLimit {
  const providers = Object.values(config.providers);
  const findClaim = createFindClaim(providers);
  return createReportLimit({
    limits,
    accountsOf: (name) => {
      const provider = config.providers[name];
      return provider ? accountsOf(provider) : [];
    },
    providerOf: (model) => findClaim(model)?.provider.name,
    clock,
    log,
  });
}

/** The provider's own region comes first: other servers may have accounts of it where this one has none. */
function accountsOf(provider: Config['providers'][string]): readonly CircuitKey[] {
  const whole: CircuitKey = { provider: provider.name, region: provider.region };
  const keys = [whole, ...targetsOf(provider, '').map(accountCircuit)];
  return [...new Map(keys.map((key) => [circuitId(key), key])).values()];
}
