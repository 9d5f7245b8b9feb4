// The JSON body parser of fastify. An empty body counts as no body: many clients send a content type with every request,
// even with a DELETE. A body that is nested too deeply, or that consists of millions of numbers or fields, is refused before it is
// parsed; the refusal of broken JSON says where it breaks.

import type { FastifyInstance } from 'fastify';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { structureRefusal, unreadableBody } from '../../flow/call/request-refusal.ts';
import { isNestedTooDeeply } from '../../kernel/json-depth.ts';
import { hasTooManyNodes, MAX_NODES } from '../../upstream/json/structure-bytes.ts';

export function readJsonBodies(app: FastifyInstance): void {
  // `__proto__` is a field like any other: the schemas of the routes drop it, or refuse it with all unknown fields.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeContentTypeParser('application/json');
  const options = { parseAs: 'buffer' } as const;
  app.addContentTypeParser<Buffer>('application/json', options, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const refusal = structureRefusal(body);
    if (refusal) return done(refusal);
    const text = body.toString();
    if (isNestedTooDeeply(text)) return done(tooDeep());
    if (hasTooManyNodes(body)) return done(tooManyNodes());
    return parse(request, text, (error, parsed) =>
      error ? done(unreadableBody(NOT_JSON, Buffer.from(text))) : done(null, parsed),
    );
  });
}

const NOT_JSON = { ok: false, problem: 'not_json' } as const;

function tooDeep(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the body is nested too deeply', {
    params: { problem: 'too_deep' },
  });
}

/** Within the bounds of size, and yet a second of work: most objects are more expensive than their bytes. */
function tooManyNodes(): SpillwayError {
  const message = `the body has more than ${MAX_NODES} fields, objects and lists`;
  return new SpillwayError('REQUEST_TOO_LARGE', message);
}
