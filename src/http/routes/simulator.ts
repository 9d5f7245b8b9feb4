// /admin/simulator: the control endpoints of the built-in simulator under the gateway's own address, so that an operator
// needs neither its port nor a second program. The routes exist only while the simulator stands in for the providers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ERROR_CODES } from '../../errors/codes.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { adminGuard, adminSchema, noContent } from '../schemas/admin.ts';
import { bodyParsedByHandler } from '../schemas/documented.ts';

/** Answers a control request of the simulator: `url` is its path and query, `body` the text of its body. */
export type SimulatorControl = {
  (request: {
    readonly method: string;
    readonly url: string;
    readonly body: string;
  }): { readonly status: number; readonly body?: unknown };
  /** Documents the body of a scenario; the simulator parses it. */
  readonly scenarioBody: z.ZodType;
};

const PREFIX = '/admin/simulator';
const CONTROL_PREFIX = '/_simulator';

type Endpoint = {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
};

const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/scenarios', summary: "List the simulator's presets" },
  { method: 'GET', path: '/scenario', summary: 'List the active scenarios of the simulator' },
  { method: 'PUT', path: '/scenario', summary: 'Set a scenario of the simulator' },
  { method: 'DELETE', path: '/scenario', summary: 'Make the simulated providers healthy' },
  { method: 'GET', path: '/log', summary: "Read the simulator's truth log" },
  { method: 'DELETE', path: '/log', summary: "Clear the simulator's truth log" },
  { method: 'GET', path: '/stats', summary: "Read the totals of the simulator's truth log" },
];

const problem = z.object({ error: z.object({ code: z.enum(ERROR_CODES), message: z.string() }) });

export function simulatorRoutes(
  control: SimulatorControl,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);

  function forward(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { method } = request;
    const url = request.url.replace(PREFIX, CONTROL_PREFIX);
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    const answer = control({ method, url, body });
    const content = answer.status < 400 ? answer.body : asErrorAnswer(answer.body, request.id);
    return reply.code(answer.status).send(content ?? null);
  }

  return (app) => {
    for (const { method, path, summary } of ENDPOINTS) {
      const response = { 200: z.unknown(), 204: noContent };
      const body = method === 'PUT' ? { body: control.scenarioBody } : {};
      const schema = adminSchema(summary, { ...body, response });
      app.route({
        ...guard,
        validatorCompiler: bodyParsedByHandler,
        method,
        url: `${PREFIX}${path}`,
        schema,
        handler: forward,
      });
    }
  };
}

/** The simulator's sentence names the wrong field; only operators read it. */
function asErrorAnswer(body: unknown, requestId: string): object {
  const { error } = problem.parse(body);
  return {
    error: { ...error, spillway_code: error.code, params: {}, retryable: false, requestId },
  };
}
