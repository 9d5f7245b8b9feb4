// Writes a request to its socket. The head and a small body are copied into one buffer and leave in one write: one system
// call, or one TLS record.
//
// A plain socket nearly always takes the bytes within the call; then the buffer serves the next request, too. If the socket
// keeps bytes, it keeps the buffer, and the next request gets a new one. A TLS socket always keeps them.

import type { Socket } from 'node:net';

/** Writes the head, which ends with its empty line, and the body. */
export type SendRequest = (socket: Socket, head: string, body: Buffer | null) => void;

const MAX_COPIED_BYTES = 16 * 1024;

export function createRequestSender(isSecure: boolean): SendRequest {
  let reused: Buffer | undefined;
  return (socket, head, body) => {
    const length = head.length + (body?.length ?? 0);
    if (length > MAX_COPIED_BYTES) return sendInParts(socket, head, body);
    if (!isSecure) reused ??= Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);
    const buffer = reused ?? Buffer.allocUnsafe(length);
    buffer.write(head, 0, head.length, 'latin1');
    if (body) buffer.set(body, head.length);
    socket.write(buffer.subarray(0, length));
    if (socket.writableLength > 0) reused = undefined;
  };
}

function sendInParts(socket: Socket, head: string, body: Buffer | null): void {
  socket.cork();
  socket.write(head, 'latin1');
  if (body) socket.write(body);
  socket.uncork();
}
