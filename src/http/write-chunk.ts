// Writes one piece of a streamed answer as one frame in one plain write. Node's own way puts a frame together from four
// writes and holds them back until the end of the turn; for a stream of small events that costs more than all we do with
// them. Node still writes the head and, by `end`, the last frame, so that it knows of the answer all it must know.
// Nothing may be given to `response.write` in between: what it holds back would be overtaken.

import type { ServerResponse } from 'node:http';
import { ONE_WRITE_BYTES } from '../kernel/one-write.ts';

type Socket = NonNullable<ServerResponse['socket']>;

/** False when the caller reads more slowly than we write: the connection's `drain` says when it can take more. */
export function writeChunk(response: ServerResponse, chunk: Buffer, isFirst: boolean): boolean {
  const { socket } = response;
  // An answer whose turn on the connection has not come is kept by Node, and so is one without frames.
  if (!socket || !hasFrames(response)) return response.write(chunk);
  if (socket.destroyed) return false;
  if (!isFirst) return writeFrame(socket, chunk);
  socket.cork();
  response.flushHeaders();
  const isRoomy = writeFrame(socket, chunk);
  socket.uncork();
  return isRoomy;
}

/** Callers of HTTP/1.0 are sent the bare bytes until the connection ends. */
function hasFrames({ req }: ServerResponse): boolean {
  return req.httpVersionMajor === 1 && req.httpVersionMinor >= 1;
}

function writeFrame(socket: Socket, chunk: Buffer): boolean {
  // A frame of no length would be the last one.
  if (chunk.length === 0) return !socket.writableNeedDrain;
  const size = chunk.length.toString(16);
  if (chunk.length <= ONE_WRITE_BYTES) {
    // As a text it needs no second copy; latin1 keeps every byte as it is.
    return socket.write(`${size}\r\n${chunk.toString('latin1')}\r\n`, 'latin1');
  }
  socket.cork();
  socket.write(`${size}\r\n`, 'latin1');
  socket.write(chunk);
  const isRoomy = socket.write('\r\n', 'latin1');
  socket.uncork();
  return isRoomy;
}
