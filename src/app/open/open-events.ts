// Build events in this process: what products report, who reads it, and for how long it is kept. Told to stop, live
// readers are let go first, so that they find another server while this one drains.

import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Config } from '../../config/config.ts';
import type { Redact } from '../../errors/redact.ts';
import { createEmitEvents } from '../../events/emit-events.ts';
import { startForgetting } from '../../events/forget-events.ts';
import { regionOf } from '../../flow/call/provider-limit.ts';
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
import { createFindClaim } from '../../routing/claimed-model.ts';
import { targetsOf } from '../../routing/target.ts';
import type { Store } from './open-store.ts';

export type EventsContext = {
  readonly store: Store;
  readonly limits: ProviderLimits;
  readonly gate: Gate;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type OpenedEvents = {
  readonly routes: readonly RegisterRoutes[];
  /** Lets live readers go. Before the server is closed, which waits for them. */
  endLive(): Promise<void>;
};

export function openEvents(config: Config, context: EventsContext): OpenedEvents {
  const { store, gate, redact, clock, log, lifecycle } = context;
  const { events, watch } = store.builds;
  const live = createLiveReplies(clock);
  const emit = createEmitEvents({
    store: events,
    redact,
    onChanged: (build) => watch.changed(build),
  });
  const reportLimit = openReportLimit(config, context);
  const forgetting = startForgetting({
    store: events,
    keptMs: config.retention.eventsMs,
    clock,
    log,
  });
  lifecycle.onClose('forgetting of events', () => forgetting.close());
  const following = { watch, live, clock };
  return {
    routes: [
      buildRoutes({ emit, reportLimit, events, watch, live, gate, clock }),
      jobEventRoutes({ jobs: store.jobs, history: store.history, gate, following }),
      adminBuildRoutes({ events, redact, clock, gate }),
    ],
    endLive: () => live.close(),
  };
}

function openReportLimit(config: Config, { limits, clock, log }: EventsContext): ReportLimit {
  const providers = Object.values(config.providers);
  const findClaim = createFindClaim(providers);
  return createReportLimit({
    limits,
    regionsOf: (name) => {
      const provider = config.providers[name];
      return provider ? regionsOf(provider) : [];
    },
    providerOf: (model) => findClaim(model)?.provider.name,
    clock,
    log,
  });
}

/** Of all its accounts; of the provider as a whole where it has none here, for the servers that have. */
function regionsOf(provider: Config['providers'][string]): readonly string[] {
  return [...new Set([provider.region, ...targetsOf(provider, '').map(regionOf)])];
}
