// Reads and decodes a request's body up to a limit. A content length above the limit is refused before the first byte; a body that
// grows above the limit is refused there and its remaining bytes are discarded.

import type { IncomingMessage } from 'node:http';
import { SpillwayError } from '../errors/spillway-error.ts';
import { decodeBody } from './decode-body.ts';

export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  done: (body: Buffer) => void,
  failed: (error: SpillwayError) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limitBytes) return failed(tooLarge(limitBytes));
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;

  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    if (size <= limitBytes) return void chunks.push(chunk);
    isOver = true;
    failed(tooLarge(limitBytes));
  });
  request.on('end', () => {
    if (isOver) return;
    const [only] = chunks;
    const body = chunks.length === 1 && only ? only : Buffer.concat(chunks, size);
    decodeBody(body, request.headers['content-encoding'], limitBytes, (error, decoded) =>
      error ? failed(error) : done(decoded),
    );
  });
}

function tooLarge(limit: number): SpillwayError {
  return new SpillwayError('REQUEST_TOO_LARGE', 'the body is larger than the limit', {
    params: { limit },
  });
}
