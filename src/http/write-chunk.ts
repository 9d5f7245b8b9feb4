// Writes one chunk of a streamed response as one HTTP/1.1 chunk in one socket write. `response.write` assembles a chunk
// from four writes and holds them until the end of the turn, which for small events costs more than the rest of the
// relay. Node still writes the head and, in `end`, the terminating chunk, so its own state stays correct.
// No call of `response.write` may come in between: later chunks would overtake the bytes it holds back.

import type { ServerResponse } from 'node:http';

/** libuv writes strings up to this size from its stack, without an allocation. */
export const MAX_SINGLE_WRITE_BYTES = 12 * 1024;

type Socket = NonNullable<ServerResponse['socket']>;

/** False under back-pressure: the socket's `drain` event announces that it takes more. */
export function writeChunk(response: ServerResponse, chunk: Buffer, isFirst: boolean): boolean {
  const { socket } = response;
  // Node buffers a pipelined response that waits for its turn, and writes a response without chunked encoding itself.
  if (!socket || !isChunked(response)) return response.write(chunk);
  if (socket.destroyed) return false;
  if (!isFirst) return writeWhole(socket, chunk);
  socket.cork();
  response.flushHeaders();
  const canTakeMore = writeWhole(socket, chunk);
  socket.uncork();
  return canTakeMore;
}

/** HTTP/1.0 has no chunked encoding: the body ends with the connection. */
function isChunked({ req }: ServerResponse): boolean {
  return req.httpVersionMajor === 1 && req.httpVersionMinor >= 1;
}

function writeWhole(socket: Socket, chunk: Buffer): boolean {
  // An empty chunk would terminate the response.
  if (chunk.length === 0) return !socket.writableNeedDrain;
  const size = chunk.length.toString(16);
  if (chunk.length <= MAX_SINGLE_WRITE_BYTES) {
    // A string needs no second copy; latin1 preserves every byte.
    return socket.write(`${size}\r\n${chunk.toString('latin1')}\r\n`, 'latin1');
  }
  socket.cork();
  socket.write(`${size}\r\n`, 'latin1');
  socket.write(chunk);
  const canTakeMore = socket.write('\r\n', 'latin1');
  socket.uncork();
  return canTakeMore;
}
