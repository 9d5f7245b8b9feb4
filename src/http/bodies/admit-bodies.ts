// Admits the bodies of fastify's routes against the quota of the AI endpoints, after authentication and
// before the first byte is read, and decodes a compressed body within the route's limit before its parser sees it.

import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import type { BodyLease, BodyOwner, BodyQuota } from './body-quota.ts';
import { isEncoded } from './decode-body.ts';
import { announcedBytes, type BodyIntake, type BodyTerms, readBody } from './read-body.ts';

export function admitBodies(app: FastifyInstance, quota: BodyQuota, intake: BodyIntake): void {
  app.addHook('preParsing', async (request, reply, payload: Readable) => {
    const announced = announcedBytes(request.raw);
    if (announced === 0) return payload;
    const limitBytes = request.routeOptions.bodyLimit;
    const lease = quota.admit(ownerOf(request), announced && Math.min(announced, limitBytes));
    reply.raw.once('close', () => lease.release());
    if (isEncoded(request.headers['content-encoding']))
      return decoded(request, { limitBytes, lease }, intake);
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

/** The whole body is decoded at once: its decoded size must be within the limit before any of it is parsed. */
function decoded(
  { raw }: FastifyRequest,
  terms: BodyTerms,
  intake: BodyIntake,
): Promise<RequestPayload> {
  return new Promise((resolve, reject) => {
    const done = (body: Buffer): void => {
      const payload: RequestPayload = Readable.from([body], { objectMode: false });
      // Fastify compares this with the content length.
      payload.receivedEncodedLength = announcedBytes(raw) ?? body.length;
      resolve(payload);
    };
    readBody(raw, terms, intake, done, reject);
  });
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
