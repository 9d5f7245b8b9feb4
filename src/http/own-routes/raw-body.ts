// The bytes of a request's body, at the server that forwards it and at the server that receives it: the signature covers the
// digest of the body, so that it is verified before it is parsed.

import { Readable } from 'node:stream';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { AcceptedForward } from '../inter-server-gate.ts';

/** Rejects with REQUEST_TOO_LARGE above the limit; the remaining bytes are discarded. */
export async function readRawBody(source: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) throw tooLarge(source, limitBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The stream that the application's parser reads in place of the request's. */
export async function verifiedBody(
  payload: Readable,
  accepted: AcceptedForward,
  limitBytes: number,
): Promise<Readable> {
  const body = await readRawBody(payload, limitBytes);
  accepted.checkBody(body);
  return Object.assign(Readable.from([body], { objectMode: false }), {
    receivedEncodedLength: body.length,
  });
}

function tooLarge(source: Readable, limit: number): SpillwayError {
  source.resume();
  return new SpillwayError('REQUEST_TOO_LARGE', 'the body is too large', { params: { limit } });
}
