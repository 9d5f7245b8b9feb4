// Bounds the requests of one connection that wait for the answer to an earlier one. Node parses all requests of a read before
// it serves another connection: thousands of them in a few kilobytes would block the process for seconds. A connection
// beyond the bound is closed, and the rest of the read is not parsed; no client pipelines nearly as many.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_WAITING = 32;

/** True for a request that must not be served, because its connection is closed. */
export type RefusePipelined = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createPipelineBound(): RefusePipelined {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Only a response that waits for its turn has no socket.
    if (response.socket) return false;
    const { socket } = request;
    if (socket.destroyed) return true;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MAX_WAITING) {
      stopParsing(socket);
      socket.destroy();
      return true;
    }
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return false;
  };
}

/** The parser's number for an upgrade: the bytes after the next head belong to another protocol. */
const UPGRADE = 2;

/** Node has no function for this. Without it, the two thousand requests of one read are parsed for a closed connection. */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser && 'onIncoming' in parser)
    parser.onIncoming = () => UPGRADE;
}
