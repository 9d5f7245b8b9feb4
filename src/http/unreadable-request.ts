// Responses to bytes that are not a valid HTTP request: an invalid request line, oversized headers, an incomplete
// request. Node has no request object then, so the response is written to the socket, which is closed. It has the same
// code, sentence and id as any other error. Anyone can send such bytes, so they count against the refusals of the address,
// and beyond its limit they are not logged.

import type { Socket } from 'node:net';
import { type PublicAnswer, toPublicAnswer } from '../errors/public-answer.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { errorBody } from '../errors/wire-shape.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { addressSubject, type RefusalLimit } from './refusal-limit.ts';

export type ConnectionFailure = Error & { readonly code?: string };

export type LogUnreadable = (socket: Socket, error: SpillwayError, requestId: string) => void;

export function createUnreadableReplier(
  newId: NewId,
  clock: Clock,
  logUnreadable: LogUnreadable,
): (failure: ConnectionFailure, socket: Socket) => void {
  return (failure, socket) => {
    if (failure.code === 'ECONNRESET' || socket.destroyed) return;
    const code = failure.code === 'HPE_HEADER_OVERFLOW' ? 'REQUEST_TOO_LARGE' : 'INVALID_REQUEST';
    const message = `not a valid HTTP request: ${failure.message}`;
    const error = new SpillwayError(code, message, { cause: failure });
    const requestId = newId('req');
    logUnreadable(socket, error, requestId);
    answerSocket(socket, error, requestId, clock);
  };
}

export function createUnreadableLog(
  log: Log,
  refusals: Pick<RefusalLimit, 'count'>,
): LogUnreadable {
  return (socket, { code, message }, requestId) => {
    if (refusals.count(addressSubject({ socket }))) return;
    const metadata = { code, address: socket.remoteAddress };
    log.write({ level: 'warn', type: 'request', message, requestId, metadata });
  };
}

/** Writes the error to the socket and closes it. The headers are unknown: the language is English and the zone UTC. */
export function answerSocket(
  socket: Socket,
  error: SpillwayError,
  requestId: string,
  clock: Clock,
): void {
  const context = { requestId, locale: 'en', timeZone: 'UTC', now: clock.now() } as const;
  if (socket.writable) socket.write(bytesOf(toPublicAnswer(error, context)));
  socket.destroySoon();
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

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  413: 'Content Too Large',
  503: 'Service Unavailable',
};
