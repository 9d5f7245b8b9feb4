// The routes of an application that embeds the gateway: the parts that its plugin needs, and the options of one route. The
// capacity hook decides where a request runs, the error boundary answers its failures.

import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../admission/keyring.ts';
import type { RoutingStatistics } from '../../cluster/routing-statistics.ts';
import type { ForwardParts } from '../../flow/forward/forward-call.ts';
import type { DecideCapacity } from '../../flow/own-routes/decide-capacity.ts';
import type { ForeseeRefusal } from '../../flow/serve/foresee-refusal.ts';
import type { RequestSlots } from '../../flow/serve/request-slots.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { InterServerGate } from '../inter-server-gate.ts';
import type { ErrorReplier } from '../reply-error.ts';

export type OwnRoutes = {
  readonly serverId: string;
  readonly keyring: Pick<Keyring, 'find'>;
  /** The key of the gateway itself; its organisation is that of requests without another key. */
  readonly apiKey: string | undefined;
  readonly decide: DecideCapacity;
  readonly resolveTargets: ResolveTargets;
  readonly foreseeRefusal: ForeseeRefusal;
  readonly slots: RequestSlots;
  readonly statistics: RoutingStatistics;
  /** Undefined: no server may forward requests to this one. */
  readonly interServer: InterServerGate | undefined;
  /** Undefined: requests are not forwarded to other servers. */
  readonly forward: ForwardParts | undefined;
  readonly replyError: ErrorReplier;
  readonly clock: Clock;
  readonly newId: NewId;
};

/**
 * The options of a route with a capacity decision, at `config.spillway` of its Fastify options. `true` decides by the load of
 * the server alone.
 *
 * @example
 * import type { CapacityRoute } from 'spillway/fastify';
 *
 * export const route: CapacityRoute = {
 *   model: 'smart',
 *   key: (request) => process.env[`KEY_OF_${request.hostname}`],
 * };
 */
export type CapacityRoute = {
  /** The model or alias that the route calls: its limits and circuits decide as well. */
  readonly model?: string | ((request: FastifyRequest) => string);
  /** The Spillway key of the organisation that pays; by default the key of the gateway itself. */
  readonly key?: (request: FastifyRequest) => string | undefined | Promise<string | undefined>;
};

/**
 * What the decision found out about a request, at `request.spillway`.
 *
 * @example
 * import type { AdmittedRequest } from 'spillway/fastify';
 *
 * export function describe({ requestId, organizationId, forwardedBy }: AdmittedRequest): string {
 *   return `${requestId} of ${organizationId}, forwarded by ${forwardedBy ?? 'no server'}`;
 * }
 */
export type AdmittedRequest = {
  readonly requestId: string;
  readonly organizationId: string;
  /** The server that got the request from the caller, if it forwarded the request. */
  readonly forwardedBy: string | undefined;
};
