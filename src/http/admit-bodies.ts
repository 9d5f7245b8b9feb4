// Admits the bodies of fastify's routes against the same quota as those of the AI endpoints, after authentication and
// before the first byte is read.

import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyLease, BodyOwner, BodyQuota } from './body-quota.ts';
import { announcedBytes } from './read-body.ts';

export function admitBodies(app: FastifyInstance, quota: BodyQuota): void {
  app.addHook('preParsing', async (request, reply, payload: Readable) => {
    const announced = announcedBytes(request.raw);
    if (announced === 0) return payload;
    const limitBytes = request.routeOptions.bodyLimit;
    const lease = quota.admit(ownerOf(request), announced && Math.min(announced, limitBytes));
    reply.raw.once('close', () => lease.release());
    if (announced === undefined) return counted(payload, lease);
    payload.once('end', () => lease.uploaded());
    return payload;
  });
}

/** Operators and callers of public routes share one quota each; no organisation has such an id. */
function ownerOf({ principal, isOperator }: FastifyRequest): BodyOwner {
  if (principal) return principal;
  return {
    organizationId: isOperator === true ? ' operators' : ' public',
    maxConcurrent: undefined,
  };
}

/** Counts a body of unknown length as it arrives. */
function counted(payload: Readable, lease: BodyLease): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      try {
        lease.growTo(bytes);
      } catch (refusal) {
        return done(refusal instanceof Error ? refusal : new Error(String(refusal)));
      }
      return done(null, chunk);
    },
    flush(done) {
      lease.uploaded();
      done();
    },
  });
  return pipeline(payload, counter, () => {});
}
