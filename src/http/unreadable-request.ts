// What comes in and is no HTTP: a line that cannot be read, headers beyond all bounds, a request that never becomes
// whole. There is no request to answer, only a connection, so the answer is written as bytes and the connection ends
// with it. It is the same answer as any other: our code, our words, an id. Nothing of it is logged; strangers send it.

import type { Socket } from 'node:net';
import { type PublicAnswer, toPublicAnswer } from '../errors/public-answer.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { errorBody } from '../errors/wire-shape.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';

export type ConnectionFailure = Error & { readonly code?: string };

export function createUnreadableReplier(
  newId: NewId,
  clock: Clock,
): (failure: ConnectionFailure, socket: Socket) => void {
  return (failure, socket) => {
    if (failure.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable) socket.write(bytesOf(publicAnswer(failure, newId('req'), clock)));
    socket.destroy(failure);
  };
}

/** Headers were not read, so neither a language nor a zone is known. */
function publicAnswer(failure: ConnectionFailure, requestId: string, clock: Clock): PublicAnswer {
  const code = failure.code === 'HPE_HEADER_OVERFLOW' ? 'REQUEST_TOO_LARGE' : 'INVALID_REQUEST';
  const error = new SpillwayError(code, 'the request is no HTTP', { cause: failure });
  return toPublicAnswer(error, { requestId, locale: 'en', timeZone: 'UTC', now: clock.now() });
}

function bytesOf(answer: PublicAnswer): string {
  const body = JSON.stringify(errorBody('spillway', answer));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} ${REASONS[answer.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

const REASONS: Readonly<Record<number, string>> = { 400: 'Bad Request', 413: 'Content Too Large' };
