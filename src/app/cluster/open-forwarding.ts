// Opens forwarding between servers: the gate that accepts signed calls of other servers, if a secret is configured, and
// the sending side, if routing is enabled. Servers reach each other directly, never through a proxy.

import { randomBytes } from 'node:crypto';
import { createHttp1Upstream } from '../../adapters/http1/upstream.ts';
import type { ServerName } from '../../cluster/inter-server/call-signature.ts';
import type { Config } from '../../config/config.ts';
import type { ForwardParts } from '../../flow/forward/forward-call.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import { createInterServerGate, type InterServerGate } from '../../http/inter-server-gate.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { ServerReadiness } from '../readiness.ts';
import type { Cluster } from './open-cluster.ts';

export type ForwardingContext = {
  readonly self: ServerName;
  readonly cluster: Pick<Cluster, 'directory' | 'selector' | 'statistics'>;
  readonly serve: Pick<ServeParts, 'limits'>;
  readonly readiness: ServerReadiness;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type Forwarding = {
  readonly interServer: InterServerGate | undefined;
  readonly forward: ForwardParts | undefined;
};

const NONCE_BYTES = 16;

export function openForwarding(config: Config, context: ForwardingContext): Forwarding {
  const { interServerSecrets: secrets = [], routingEnabled } = config.cluster;
  const { self, clock, log } = context;
  const [secret] = secrets;
  if (secret === undefined) return { interServer: undefined, forward: undefined };
  const interServer = createInterServerGate({ secrets, self, clock, log });
  if (!routingEnabled) return { interServer, forward: undefined };
  return { interServer, forward: openSending(config, context, secret) };
}

function openSending(
  config: Config,
  { self, cluster, serve, readiness, clock, log, lifecycle }: ForwardingContext,
  secret: string,
): ForwardParts {
  const upstream = createHttp1Upstream({
    connectTimeoutMs: config.timeouts.connectMs,
    maxConnectionsPerOrigin: config.cluster.maxConcurrentBuilds,
    clock,
  });
  lifecycle.onClose('connections to servers', () => upstream.close());
  return {
    serverId: self.id,
    secret,
    clock,
    newNonce: () => randomBytes(NONCE_BYTES).toString('base64url'),
    directory: cluster.directory,
    selector: cluster.selector,
    statistics: cluster.statistics,
    limits: serve.limits,
    upstream,
    log,
    isDraining: () => readiness.unhealthyReason() === 'draining',
  };
}
