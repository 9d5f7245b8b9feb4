// Writes a request to its socket. The head and a small body are copied into one buffer and leave in one write: one system
// call, or one TLS record.
//
// A plain socket nearly always takes the bytes within the call; then the buffer serves the next request, too. If the socket
// keeps bytes, it keeps the buffer, and the next request gets a new one. A TLS socket always keeps them.

import type { Socket } from 'node:net';

/** Writes the head, whose last line is the length of the body, and the body. */
export type SendRequest = (socket: Socket, head: Buffer, body: Buffer | null) => void;

const MAX_COPIED_BYTES = 16 * 1024;

export function createRequestSender(isSecure: boolean): SendRequest {
  let reused: Buffer | undefined;
  return (socket, head, body) => {
    const headEnd = endOfHead(body);
    const bodyAt = head.length + headEnd.length;
    const length = bodyAt + (body?.length ?? 0);
    if (length > MAX_COPIED_BYTES) return sendInParts(socket, [head, Buffer.from(headEnd), body]);
    if (!isSecure) reused ??= Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);
    const buffer = reused ?? Buffer.allocUnsafe(length);
    buffer.set(head, 0);
    buffer.write(headEnd, head.length, headEnd.length, 'latin1');
    if (body) buffer.set(body, bodyAt);
    socket.write(buffer.subarray(0, length));
    if (socket.writableLength > 0) reused = undefined;
  };
}

/** Ends with the empty line. */
function endOfHead(body: Buffer | null): string {
  return body ? `content-length: ${body.length}\r\n\r\n` : '\r\n';
}

function sendInParts(socket: Socket, parts: readonly (Buffer | null)[]): void {
  socket.cork();
  for (const part of parts) if (part) socket.write(part);
  socket.uncork();
}
