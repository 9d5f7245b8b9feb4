// Opens the parts that an application's own routes need from the gateway.

import type { Keyring } from '../../admission/keyring.ts';
import type { RoutingStatistics } from '../../cluster/routing-statistics.ts';
import { createDecideCapacity } from '../../flow/own-routes/decide-capacity.ts';
import { createForeseeRefusal } from '../../flow/serve/foresee-refusal.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { OwnRoutes } from '../../http/own-routes/own-routes.ts';
import type { ErrorReplier } from '../../http/reply-error.ts';
import { newId } from '../../kernel/ids.ts';
import type { Forwarding } from '../cluster/open-forwarding.ts';
import type { Identity } from '../identity.ts';
import type { ServerReadiness } from '../readiness.ts';

export type OwnRoutesContext = {
  readonly identity: Identity;
  readonly serve: ServeParts;
  readonly keyring: Keyring;
  readonly readiness: ServerReadiness;
  readonly statistics: RoutingStatistics;
  readonly forwarding: Forwarding;
  readonly replyError: ErrorReplier;
};

export function openOwnRoutes(context: OwnRoutesContext): OwnRoutes {
  const { identity, serve, keyring, readiness, statistics, forwarding, replyError } = context;
  const { slots, resolveTargets, clock } = serve;
  const isDraining = () => readiness.unhealthyReason() !== undefined;
  return {
    serverId: identity.serverId,
    apiKey: identity.apiKey,
    keyring,
    decide: createDecideCapacity({ ...serve, isDraining }),
    resolveTargets,
    foreseeRefusal: createForeseeRefusal(serve),
    slots,
    statistics,
    ...forwarding,
    replyError,
    clock,
    newId,
  };
}
