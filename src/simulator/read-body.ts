// Reads a request's body up to a bound. The whole of it is needed: it is digested, counted and answered.

import type { IncomingMessage } from 'node:http';

export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body, or nothing when it is larger than the bound. Rejects when the caller goes away first. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // Listeners, because an async iterator costs more than everything else that is done to a small request.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the caller went away')));
  });
}
