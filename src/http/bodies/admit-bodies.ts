// Admits the bodies of fastify's routes against the quota of the AI endpoints, after authentication and
// before the first byte is read, and reads and decodes them within the route's limit before their parser sees them.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { ownerOf } from './body-owner.ts';
import type { BodyQuota } from './body-quota.ts';
import { announcedBytes, type BodyIntake, type BodyTerms, readBody } from './read-body.ts';

export function admitBodies(app: FastifyInstance, quota: BodyQuota, intake: BodyIntake): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const announced = announcedBytes(request.raw);
    if (announced === 0) return payload;
    const limitBytes = request.routeOptions.bodyLimit;
    const lease = quota.admit(ownerOf(request), announced && Math.min(announced, limitBytes));
    reply.raw.once('close', () => lease.release());
    return read(request, { limitBytes, lease }, intake);
  });
}

/** The whole body is read and decoded before any of it is parsed: its decoded size must be within the limit. */
function read(
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
