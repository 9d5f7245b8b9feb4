// What is written to the broker in one turn of the loop leaves in one write to the socket. Jobs that share a statement are
// done with it together, so their publishes and acknowledgements come together too; the driver writes each by itself,
// which costs both sides more than the messages do. Nothing waits longer than until the end of the turn. What is more than
// the socket takes at once leaves when it has drained, and that is gathered likewise.
// This reaches into the driver, whose version is pinned; should it ever find no socket, writes are as the driver makes them.

import { Writable } from 'node:stream';
import type { Channel, Connection } from 'rabbitmq-client';

/** Those that we keep back until the end of the turn. */
const gathering = new WeakSet<Writable>();
/** Those whose draining we hear of. */
const watched = new WeakSet<Writable>();

/** To be called before each write to the channel. */
export function gatherWrites(channel: Pick<Channel, 'active'>): void {
  const connection: unknown = Reflect.get(channel, '_conn');
  const socket = socketOf(connection);
  if (!socket) return;
  if (!watched.has(socket)) {
    watched.add(socket);
    // Before the driver hears of it, which then writes what had to wait.
    socket.prependListener('drain', () => gather(socket));
  }
  gather(socket);
}

function gather(socket: Writable): void {
  // Corked by the driver: the broker has an alarm, and what is written has to wait for its end.
  if (socket.writableCorked > 0) return;
  socket.cork();
  gathering.add(socket);
  setImmediate(() => {
    gathering.delete(socket);
    socket.uncork();
  });
}

/** Whether the connection only seems not to be ready: to the driver a socket that is kept back is one with an alarm. */
export function isGathering(connection: Connection): boolean {
  const socket = socketOf(connection);
  return socket !== undefined && gathering.has(socket) && !socket.destroyed;
}

function socketOf(connection: unknown): Writable | undefined {
  if (typeof connection !== 'object' || connection === null) return undefined;
  const socket: unknown = Reflect.get(connection, '_socket');
  return socket instanceof Writable ? socket : undefined;
}
