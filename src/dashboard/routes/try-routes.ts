// GET and POST /admin/try: the form's choices, and a real request through the gateway.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { adminGuard, adminSchema } from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import type { TryAnswer, TryOptions, TryRequest } from '../api/try-it.ts';
import { tryAnswer, tryBody, tryOptions } from '../schemas/try-it.ts';

export type TryRouteParts = {
  readonly readOptions: () => TryOptions;
  /** Throws NOT_FOUND for a scenario that does not exist, or without the simulator. */
  readonly send: (request: TryRequest, signal: AbortSignal) => Promise<TryAnswer>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
};

export function tryRoutes({ readOptions, send, gate }: TryRouteParts): RegisterRoutes {
  const guard = { ...adminGuard(gate), ...plainAnswer };
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();
    api.get(
      '/admin/try',
      {
        ...guard,
        schema: adminSchema('The choices of "Try it"', { response: { 200: tryOptions } }),
      },
      async () => readOptions(),
    );
    api.post(
      '/admin/try',
      {
        ...guard,
        schema: adminSchema('Send a request as the organisation `default` and report the steps', {
          body: tryBody,
          response: { 200: tryAnswer },
        }),
      },
      async ({ body, raw }) => {
        const leaving = new AbortController();
        raw.socket.once('close', () => leaving.abort(new Error('the operator left')));
        const { stream, locales, scenario, ...request } = body;
        return send(
          {
            ...request,
            ...(stream === undefined ? {} : { stream }),
            ...(locales === undefined ? {} : { locales }),
            ...(scenario === undefined ? {} : { scenario }),
          },
          leaving.signal,
        );
      },
    );
  };
}
