// Opens the services of a server on its infrastructure: calls, jobs, callbacks, the cluster, alerts and forwarding. All of
// them work without HTTP; a dispatcher or worker has nothing more.

import type { Config } from '../config/config.ts';
import { openAlerts } from './alerts/open-alerts.ts';
import { dependenciesOf, openCluster } from './cluster/open-cluster.ts';
import { openForwarding } from './cluster/open-forwarding.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { openCalls } from './open/open-calls.ts';
import { openCallbacks, openEgress } from './open/open-egress.ts';
import { openIdempotency } from './open/open-idempotency.ts';
import type { Infrastructure } from './open-infrastructure.ts';
import { createReadiness } from './readiness.ts';
import { watchProcess } from './telemetry/watch-process.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

export async function openServices(config: Config, infrastructure: Infrastructure) {
  const { serverId, store, queues, shared, membership, failures, performance } = infrastructure;
  const { roles, metrics, clock, log, lifecycle } = infrastructure;
  const serve = { ...(await openCalls(config, infrastructure)), failures };
  const egress = openEgress(config, lifecycle);
  const jobsContext = { store, queues, serve, egress, serverId, clock, log, metrics, lifecycle };
  const jobs = await openJobs(config, jobsContext, roles);
  openCallbacks({ store, egress, clock, log, lifecycle }, roles);
  openIdempotency({ stores: [store.idempotency, store.staleAnswers], clock, log, lifecycle });
  const readiness = createReadiness({ meter: serve.meter, store, engines: [queues, shared] });
  const cluster = openCluster(config, { ...infrastructure, serve, jobs, readiness });
  const dependencies = dependenciesOf({ store, shared, queues });
  const { limiterFigures } = shared;
  watchProcess({ metrics, performance, dependencies, limiterFigures, clock, lifecycle });
  const { self, registry } = membership;
  const { directory } = cluster;
  const alerts = openAlerts(config, { ...infrastructure, directory, registry, dependencies });
  const forwardingContext = { self, cluster, serve, readiness, clock, log, lifecycle };
  const forwarding = openForwarding(config, forwardingContext);
  return { serve, jobs, readiness, cluster, alerts, forwarding };
}
