// Corks the broker's socket for one turn of the event loop, so that all publishes and acknowledgements of the turn
// leave in one write. The driver writes each frame by itself, and a job pipeline makes many in one turn: measured on
// jobs end to end, without corking a message costs the gateway an eighth more CPU and the broker a quarter more. A
// write waits at most until the end of its turn. Frames that wait for the socket to drain are corked too.
//
// The socket is a private field of the driver. When a driver update moves it, or it lacks a method used here, writes
// stay as the driver makes them.

import type { Channel, Connection } from 'rabbitmq-client';

/** The part of a stream.Writable that corking needs. */
type Corkable = {
  readonly writableCorked: number;
  readonly destroyed: boolean;
  cork(): void;
  uncork(): void;
  prependListener(event: 'drain', listener: () => void): unknown;
};

const corked = new WeakSet<Corkable>();
const watched = new WeakSet<Corkable>();

/** Called before each write to the channel. */
export function corkWrites(channel: Pick<Channel, 'active'>): void {
  const socket = socketOf(fieldOf(channel, '_conn'));
  if (!socket) return;
  if (!watched.has(socket)) {
    watched.add(socket);
    // Prepended, so that the socket is corked before the driver's own listener writes the waiting frames.
    socket.prependListener('drain', () => cork(socket));
  }
  cork(socket);
}

/** True while only this module corks the socket: the driver reports any corked socket as blocked by the broker. */
export function isCorked(connection: Connection): boolean {
  const socket = socketOf(connection);
  return socket !== undefined && corked.has(socket) && !socket.destroyed;
}

function cork(socket: Corkable): void {
  // Corked already: in this turn, or by the driver because the broker has an alarm.
  if (socket.writableCorked > 0) return;
  socket.cork();
  corked.add(socket);
  setImmediate(() => {
    corked.delete(socket);
    socket.uncork();
  });
}

function socketOf(connection: unknown): Corkable | undefined {
  const socket = fieldOf(connection, '_socket');
  return isCorkable(socket) ? socket : undefined;
}

function isCorkable(value: unknown): value is Corkable {
  const methods = ['cork', 'uncork', 'prependListener'];
  return (
    typeof fieldOf(value, 'writableCorked') === 'number' &&
    methods.every((name) => typeof fieldOf(value, name) === 'function')
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
