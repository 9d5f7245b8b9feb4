// The admin endpoints on the store itself, for the command line when no server is running. It locks the data folder, or
// a PostgreSQL that is not shared, while it is open, so that no server can start in between. There is no
// authentication: a user with access to the store could write to it anyway.

import { ensureDefaultOrganization } from '../../admission/organization-store.ts';
import type { Config } from '../../config/config.ts';
import { createOwnReads } from '../../flow/serve/own-reads.ts';
import type { Gate } from '../../http/authenticate.ts';
import { createInProcessApi, type InProcessApi } from '../../http/in-process.ts';
import { createErrorReplier } from '../../http/reply-error.ts';
import { deadLetterRoutes } from '../../http/routes/dead-letters.ts';
import { jobEventRoutes } from '../../http/routes/job-events.ts';
import { jobRoutes } from '../../http/routes/jobs.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { openAdministration } from '../administration.ts';
import { openJobOperations } from '../jobs/open-jobs.ts';
import { storeQueues } from '../jobs/open-queue.ts';
import { operatorPrincipal } from '../operator-principal.ts';
import { lockDataFolder, openStore, type Store } from './open-store.ts';

export async function openOfflineAdmin(
  config: Config,
  log: Log,
  clock: Clock = systemClock,
): Promise<InProcessApi> {
  const { dataDir, databaseUrl } = config.storage;
  const lifecycle = createLifecycle();
  try {
    if (databaseUrl === undefined) lockDataFolder(dataDir, lifecycle);
    const store = await openStore({ ...config.storage, clock, log, lifecycle });
    return await compose(config, store, { log, clock, lifecycle });
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

type Environment = { readonly log: Log; readonly clock: Clock; readonly lifecycle: Lifecycle };

async function compose(
  config: Config,
  store: Store,
  { log, clock, lifecycle }: Environment,
): Promise<InProcessApi> {
  const organization = await ensureDefaultOrganization(store.organizations, clock.now());
  const principal = operatorPrincipal(organization);
  const gate: Gate = {
    requireAdmin: () => {},
    requireScope: () => Promise.resolve(principal),
    requireAdminOrScope: () => Promise.resolve(),
  };
  const reads = createOwnReads();
  // This process serves no callers, so it caches none.
  const callers = { organizationChanged: () => {}, keyRevoked: () => {} };
  // Jobs can be shown, cancelled and requeued; this process runs none.
  const { jobs, history, deadLetters } = store;
  // Without a broker the store's own queue is the outbox; the next server relays it.
  const operations = openJobOperations(config, { store, queues: storeQueues(store), clock });
  const { routes, auditor } = openAdministration({
    config,
    store,
    clock,
    log,
    gate,
    reads,
    callers,
    unfinishedJobs: operations.unfinished,
    advanceDelayed: operations.advanceDelayed,
  });
  const routesOfJobs = [
    // Operators are not subject to an organisation's limits.
    jobRoutes({
      operations,
      jobs,
      history,
      gate,
      reads,
      clock,
      admit: (_handedIn, submit) => submit(),
    }),
    jobEventRoutes({ jobs, history, gate, reads }),
    deadLetterRoutes({ operations, deadLetters, gate, auditor }),
  ];
  const api = await createInProcessApi({
    routes: [...routes, ...routesOfJobs],
    replyError: createErrorReplier(clock, log),
    newId,
  });
  lifecycle.onClose('endpoints', () => api.close());
  return { call: (request) => api.call(request), close: () => lifecycle.close() };
}
