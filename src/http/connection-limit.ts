// Bounds the open connections, in all and per address. A connection beyond a bound gets CAPACITY_EXHAUSTED before any of
// its bytes is read, and is closed. The addresses of an IPv6 network of 64 bits count as one. Behind a proxy all connections
// have its address: the bound per address must then be that of the server.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { addressSubject } from './refusal-limit.ts';
import { answerSocket } from './unreadable-request.ts';

export type ConnectionBounds = {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
};

/** Connections beyond the bound that wait for their answer to be sent. */
const MAX_REFUSED = 100;
const RETRY_AFTER_MS = 1000;

export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress }: ConnectionBounds,
  { newId, clock }: { readonly newId: NewId; readonly clock: Clock },
): void {
  const perAddress = new Map<string, number>();
  let open = 0;
  // Beyond this number Node closes connections without an answer.
  server.maxConnections = maxConnections + MAX_REFUSED;
  server.on('connection', (socket: Socket) => {
    const address = addressSubject({ socket });
    const count = (perAddress.get(address) ?? 0) + 1;
    open += 1;
    perAddress.set(address, count);
    socket.once('close', () => leave(address));
    if (open > maxConnections || count > maxConnectionsPerAddress)
      answerSocket(socket, refusal(), newId('req'), clock);
  });

  function leave(address: string): void {
    open -= 1;
    const count = (perAddress.get(address) ?? 1) - 1;
    if (count > 0) perAddress.set(address, count);
    else perAddress.delete(address);
  }
}

function refusal(): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', 'too many connections', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
