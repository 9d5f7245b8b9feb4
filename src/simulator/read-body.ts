// Reads a request's body up to a bound. The whole of it is needed: it is digested, counted and answered.

import type { IncomingMessage } from 'node:http';

export const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** The body, or nothing when it is larger than the bound. Rejects when the caller goes away first. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
