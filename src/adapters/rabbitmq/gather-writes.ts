// What is written to the broker in one turn of the loop leaves in one write to the socket. Jobs that share a statement are
// done with it together, so their publishes and acknowledgements come together too; the driver writes each by itself,
// which costs both sides more than the messages do. Nothing waits longer than until the end of the turn.
// This reaches into the driver, whose version is pinned; should it ever find no socket, writes are as the driver makes them.

import { Writable } from 'node:stream';

/** To be called before each write to the channel. */
export function gatherWrites(channel: object): void {
  const socket = socketOf(channel);
  // The driver uncorks what it corks before it returns: a socket that is corked now was corked by us in this turn.
  if (!socket || socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

function socketOf(channel: object): Writable | undefined {
  const connection: unknown = Reflect.get(channel, '_conn');
  if (typeof connection !== 'object' || connection === null) return undefined;
  const socket: unknown = Reflect.get(connection, '_socket');
  return socket instanceof Writable ? socket : undefined;
}
