// The JSON body parser of fastify. An empty body counts as no body: many clients send a content type with every request,
// even with a DELETE.

import type { FastifyInstance, FastifyRequest } from 'fastify';

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), done);
  });
}

/** A `preValidation` hook for routes without required fields: no body counts as an empty object. */
export async function defaultToEmptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
