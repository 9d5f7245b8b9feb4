// The routes of a server with the gateway role, apart from the AI endpoints (http/native-handler): administration, budgets,
// jobs, events, chat, models and the dashboard.

import type { Config } from '../config/config.ts';
import type { AdmitJob } from '../flow/jobs/admit-job.ts';
import type { OwnReads } from '../flow/serve/own-reads.ts';
import type { ServeCallParts } from '../flow/serve/serve-call.ts';
import type { Gate } from '../http/authenticate.ts';
import type { RegisterRoutes } from '../http/http-server.ts';
import type { ErrorReplier } from '../http/reply-error.ts';
import { budgetRoutes } from '../http/routes/budget.ts';
import { serverModeRoutes } from '../http/routes/cluster.ts';
import { deadLetterRoutes } from '../http/routes/dead-letters.ts';
import { jobRoutes } from '../http/routes/jobs.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { type SimulatorControl, simulatorRoutes } from '../http/routes/simulator.ts';
import type { ServableModels } from '../routing/servable-models.ts';
import { openAdministration } from './administration.ts';
import type { OpenedAlerts } from './alerts/open-alerts.ts';
import { openChat } from './chat/open-chat.ts';
import type { Cluster } from './cluster/open-cluster.ts';
import type { Dashboard } from './dashboard/open-dashboard.ts';
import type { JobOperations } from './jobs/open-jobs.ts';
import type { OpenedEvents } from './open/open-events.ts';
import type { Pages } from './open/open-pages.ts';
import type { Infrastructure } from './open-infrastructure.ts';

export type GatewayRouteParts = {
  readonly infrastructure: Infrastructure;
  readonly serve: ServeCallParts;
  readonly gate: Gate;
  readonly reads: OwnReads;
  readonly replyError: ErrorReplier;
  readonly jobOperations: JobOperations;
  readonly admitJob: AdmitJob;
  readonly models: ServableModels;
  readonly cluster: Cluster;
  readonly events: OpenedEvents;
  readonly alerts: OpenedAlerts;
  readonly pages: Pages;
  readonly dashboard: Dashboard;
  readonly simulator: SimulatorControl | undefined;
};

export function gatewayRoutes(config: Config, parts: GatewayRouteParts): readonly RegisterRoutes[] {
  const { serve, gate, reads, replyError, jobOperations, admitJob, models, simulator } = parts;
  const { store, shared, failures, callers, metrics, clock, log } = parts.infrastructure;
  const { limits, breakers } = serve;
  const { recentLog } = shared;
  const running = { limits, breakers, recentLog, requestRecords: failures.records };
  const administration = openAdministration({
    config,
    store,
    clock,
    log,
    gate,
    reads,
    callers,
    unfinishedJobs: jobOperations.unfinished,
    advanceDelayed: jobOperations.advanceDelayed,
    running,
  });
  const { auditor } = administration;
  const { history, deadLetters, organizations } = store;
  return [
    ...administration.routes,
    serverModeRoutes(parts.cluster.setMode(auditor), gate),
    ...(simulator ? [simulatorRoutes(simulator, gate)] : []),
    budgetRoutes({ ...serve, organizations, gate, reads }),
    jobRoutes({
      operations: jobOperations,
      jobs: store.jobs,
      history,
      gate,
      reads,
      clock,
      admit: admitJob,
    }),
    ...parts.events.routes,
    deadLetterRoutes({ operations: jobOperations, deadLetters, gate, auditor }),
    openChat(config, { serve, gate, metrics }),
    parts.alerts.routes(gate),
    modelRoutes({ models, gate, replyError }),
    ...parts.pages.routes,
    ...parts.dashboard.routes,
  ];
}
