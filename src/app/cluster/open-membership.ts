// Registers this process in the cluster before it starts to work, so that a second process with the id of a running one
// refuses to start. Until the other parts are open the record states neither a URL nor a load.

import { createMemoryServerRegistry } from '../../adapters/memory/server-registry.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import type { ServerName } from '../../cluster/inter-server/call-signature.ts';
import { Membership, ServerIdInUse } from '../../cluster/membership.ts';
import { NO_OPINION } from '../../cluster/opinions.ts';
import { NO_ROUTING } from '../../cluster/routing-statistics.ts';
import type { ServerMode, ServerRecord } from '../../cluster/server-record.ts';
import { RECORD_LIFETIME_MS, type ServerRegistry } from '../../cluster/server-registry.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/version.ts';
import type { SharedState } from '../open/shared-state.ts';
import type { Roles } from '../roles.ts';
import { StartFailure } from '../start-failure.ts';
import { serverCapabilities } from './server-capabilities.ts';

/** The part of the record that changes while the server runs. */
export type ServerFacts = Pick<
  ServerRecord,
  'currentLoad' | 'health' | 'isDraining' | 'workers' | 'opinion' | 'routing' | 'forwardedTo'
>;

export type MembershipSource = {
  readonly describe: () => Promise<ServerFacts>;
  readonly onMode: (mode: ServerMode) => void;
  readonly onDisplaced: (isDisplaced: boolean) => void;
};

export type OpenedMembership = {
  readonly self: ServerName;
  readonly registry: ServerRegistry;
  readonly mode: () => ServerMode;
  /** Connects the record and the operator's mode with the rest of the server. */
  connect(source: MembershipSource): void;
  /** Announces the server's URL: it can be reached from now on. */
  listening(url: string): Promise<void>;
  /** Announces the current record now. */
  announce(): Promise<void>;
};

export type MembershipContext = {
  readonly serverId: string;
  readonly shared: Pick<SharedState, 'redis'>;
  readonly roles: Roles;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

const NOT_CONNECTED: MembershipSource = {
  describe: async () => ({
    currentLoad: 0,
    health: 'healthy',
    isDraining: false,
    workers: [],
    opinion: NO_OPINION,
    routing: NO_ROUTING,
  }),
  onMode: () => {},
  onDisplaced: () => {},
};

export async function openMembership(
  config: Config,
  context: MembershipContext,
): Promise<OpenedMembership> {
  const { serverId, roles, clock, log, lifecycle } = context;
  const { serverUrl, region, priority, maxConcurrentBuilds } = config.cluster;
  const registry = await openRegistry(config, context);
  lifecycle.onClose('registry', () => registry.close());
  const capabilities = serverCapabilities(config);
  let source = NOT_CONNECTED;
  let url: string | undefined;
  const self = { id: serverId, incarnation: newId('inc') };
  const membership = new Membership({
    registry,
    clock,
    log,
    self,
    describe: async () => ({
      version: VERSION,
      url,
      region,
      isGateway: roles.isGateway,
      isDispatcher: roles.isDispatcher,
      maxConcurrentBuilds,
      priority,
      capabilities,
      ...(await source.describe()),
    }),
    onMode: (mode) => source.onMode(mode),
    onDisplaced: (isDisplaced) => source.onDisplaced(isDisplaced),
  });
  await membership.join().catch((cause: unknown) => {
    throw cause instanceof ServerIdInUse ? new StartFailure(cause.message) : cause;
  });
  lifecycle.onClose('membership', () => membership.leave());
  return {
    self,
    registry,
    mode: () => membership.mode,
    connect(connected) {
      source = connected;
      if (membership.mode !== 'active') source.onMode(membership.mode);
    },
    listening(listened) {
      url = serverUrl ?? listened;
      return membership.beat();
    },
    announce: () => membership.beat(),
  };
}

async function openRegistry(
  config: Config,
  { shared: { redis: link }, clock }: MembershipContext,
): Promise<ServerRegistry> {
  if (!link) return createMemoryServerRegistry({ clock, lifetimeMs: RECORD_LIFETIME_MS });
  // Imported only here: a single process does not load the Redis adapters.
  const { createRedisServerRegistry } = await import(
    '../../adapters/redis/registry/server-registry.ts'
  );
  const keyPrefix = commonPrefix(config.storage.redisKeyPrefix);
  return createRedisServerRegistry({ link, keyPrefix, lifetimeMs: RECORD_LIFETIME_MS });
}
