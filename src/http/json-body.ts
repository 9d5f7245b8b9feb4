// Bodies of JSON that the framework reads. One that is empty is no body: many clients name their content type with every
// request, also with those that have nothing to say, such as a DELETE.

import type { FastifyInstance, FastifyRequest } from 'fastify';

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), done);
  });
}

/** A `preValidation` for routes that require no field: nothing says the same as an empty object. */
export async function takeNoBodyAsEmpty(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
