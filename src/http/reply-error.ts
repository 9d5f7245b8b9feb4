// The one function that turns a failure into HTTP: status, headers and body from the public answer, in the
// wire format of whoever asked. A stream that has begun gets its format's error event instead, and no clean end.
// What went wrong inside goes to the log; nothing of it goes to the caller.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../admission/principal.ts';
import { pickLocale, pickTimeZone } from '../errors/locale.ts';
import { toPublicAnswer } from '../errors/public-answer.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import { errorBody, errorEvent, type WireFormat } from '../errors/wire-shape.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { readCorrelationId } from './correlation-id.ts';

export type ErrorReply = {
  readonly error: SpillwayError;
  readonly format: WireFormat;
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal | undefined;
  /** Content has gone out: the status is said, only an event can still tell. */
  readonly isBegun: boolean;
};

export type ErrorReplier = (reply: ErrorReply) => void;

export function createErrorReplier(clock: Clock, log: Log): ErrorReplier {
  return (reply) => {
    if (reply.error.code === 'INTERNAL') logInternal(log, reply);
    const { response, format, requestId, request, principal } = reply;
    const answer = toPublicAnswer(reply.error, {
      requestId,
      locale: pickLocale(request.headers['accept-language'], principal?.locale),
      timeZone: pickTimeZone(request.headers['x-time-zone'], principal?.timeZone),
      now: clock.now(),
      overrides: principal?.messages,
    });
    if (response.destroyed) return;
    if (reply.isBegun) return void response.end(errorEvent(format, answer, { partial: true }));
    const body = JSON.stringify(errorBody(format, answer));
    const correlationId = readCorrelationId(request.headers);
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      ...answer.headers,
      ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
      // A body that was refused unread must not be taken for the next request on this connection.
      ...(request.complete ? {} : { connection: 'close' }),
    });
    response.end(body);
  };
}

function logInternal(log: Log, { error, requestId }: ErrorReply): void {
  const { cause } = error;
  log.write({
    level: 'error',
    type: 'error',
    message: error.message,
    requestId,
    metadata: { stack: cause instanceof Error ? cause.stack : error.stack },
  });
}
