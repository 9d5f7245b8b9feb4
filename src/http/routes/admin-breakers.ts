// /admin/breakers: the state of each circuit, and its reset. `region` is a circuit's label (resilience/circuit-key.ts): it
// also names the account, the organisation and the model of a narrower circuit.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AdministerBreakers } from '../../admission/administer-breakers.ts';
import type { BreakerView } from '../../resilience/breaker-board.ts';
import { circuitLabel, parseCircuitLabel } from '../../resilience/circuit-key.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageOf, wholeList } from '../paging.ts';
import {
  adminGuard,
  adminSchema,
  moment,
  noContent,
  operatorOf,
  plainName,
} from '../schemas/admin.ts';

const params = z.object({ provider: plainName, region: plainName });

const breakerView = z.object({
  provider: z.string(),
  region: z.string(),
  organization: z
    .string()
    .nullable()
    .describe('The organisation of an own circuit, which only its failures opened; null: all'),
  state: z.enum(['closed', 'open', 'half_open']),
  cause: z
    .enum(['failures', 'limit'])
    .nullable()
    .describe('Why it is not closed: calls failed, or the provider is limited until `nextProbeAt`'),
  failuresInWindow: z.int(),
  callsInWindow: z.int(),
  successesInHalfOpen: z.int().describe('Successful probes since it opened'),
  openedAt: moment.nullable(),
  nextProbeAt: moment
    .nullable()
    .describe('In the past: the next call is the probe; null: closed, or a probe is in flight'),
});

export function adminBreakerRoutes(
  breakers: AdministerBreakers,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();

    api.get(
      '/admin/breakers',
      {
        ...guard,
        schema: adminSchema('List the circuit breakers', {
          response: { 200: pageOf(breakerView) },
        }),
      },
      async () => wholeList((await breakers.list()).map(toBreakerView)),
    );
    api.post(
      '/admin/breakers/:provider/:region/reset',
      {
        ...guard,
        schema: adminSchema('Close a circuit and reset its counts', {
          params,
          response: { 204: noContent },
        }),
      },
      async (request, reply) => {
        const { provider, region } = request.params;
        await breakers.reset(operatorOf(request), parseCircuitLabel(provider, region));
        return reply.code(204).send(null);
      },
    );
  };
}

export function toBreakerView({ key, ...view }: BreakerView): z.infer<typeof breakerView> {
  const { cause = null, openedAt = null, nextProbeAt = null } = view;
  const { provider, organization = null } = key;
  const scope = { provider, region: circuitLabel(key), organization };
  return { ...scope, ...view, cause, openedAt, nextProbeAt };
}
