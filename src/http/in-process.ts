// Endpoints without a listener: the same routes, validation and errors as over HTTP, called in the same process. The
// command line uses it when no server is running.

import Fastify, { type InjectOptions } from 'fastify';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { NewId } from '../kernel/ids.ts';
import { fromFrameworkError } from './framework-error.ts';
import type { RegisterRoutes } from './http-server.ts';
import type { ErrorReplier } from './reply-error.ts';
import { NO_OWN_COMPILERS, useZod } from './schemas/zod-compilers.ts';

export type InProcessParts = {
  readonly routes: readonly RegisterRoutes[];
  readonly replyError: ErrorReplier;
  readonly newId: NewId;
};

export type InProcessApi = {
  call(request: InProcessRequest): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
};

export type InProcessRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object | undefined;
};

export async function createInProcessApi(parts: InProcessParts): Promise<InProcessApi> {
  const app = Fastify({
    logger: false,
    genReqId: () => parts.newId('req'),
    schemaController: NO_OWN_COMPILERS,
  });
  useZod(app);
  const refuse = (error: SpillwayError, requestId: string, raw: Raw): void =>
    parts.replyError({
      error,
      format: 'spillway',
      requestId,
      ...raw,
      principal: undefined,
      isBegun: false,
    });
  app.setErrorHandler((error, request, reply) => {
    reply.hijack();
    refuse(fromFrameworkError(error), request.id, { request: request.raw, response: reply.raw });
  });
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    const error = new SpillwayError('NOT_FOUND', `no route ${request.method}`);
    refuse(error, request.id, { request: request.raw, response: reply.raw });
  });
  for (const register of parts.routes) register(app);
  await app.ready();
  return {
    async call({ method, path, body }) {
      const options: InjectOptions = { method, url: path, ...(body && { payload: body }) };
      const answer = await app.inject(options);
      return { status: answer.statusCode, text: answer.body };
    },
    close: () => app.close(),
  };
}

type Raw = Pick<Parameters<ErrorReplier>[0], 'request' | 'response'>;
