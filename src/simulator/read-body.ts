// Reads a request body up to a maximum size. The whole body is needed: it is hashed, counted and answered.

import type { IncomingMessage } from 'node:http';

export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body, or undefined if it exceeds the maximum. Rejects if the caller disconnects first. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // Listeners, because an async iterator costs more than all other work on a small request.
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
