// The JSON body parser of fastify. An empty body counts as no body: many clients send a content type with every request,
// even with a DELETE. A body that is nested too deeply, or that consists of millions of numbers or fields, is refused before it is
// parsed; the refusal of broken JSON says where it breaks. Other requests are served between the steps on a large body.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { tooMuchStructure, unreadableBody } from '../../flow/call/request-refusal.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import { exceededBound, MAX_NODES } from '../../upstream/json/structure-bytes.ts';

export function readJsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  const options = { parseAs: 'buffer' } as const;
  app.addContentTypeParser('application/json', options, (_request: FastifyRequest, body: Buffer) =>
    read(body),
  );
}

async function read(body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined;
  const bound = exceededBound(body);
  if (bound) throw REFUSALS[bound]();
  await turnAfter(body.length);
  const parsed = parse(body);
  await turnAfter(body.length);
  return parsed;
}

/** `__proto__` is a field like any other: the schemas of the routes drop it, or refuse it with all unknown fields. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw unreadableBody(NOT_JSON, body);
  }
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

const REFUSALS = {
  structureBytes: tooMuchStructure,
  nodes: tooManyNodes,
  depth: tooDeep,
};
