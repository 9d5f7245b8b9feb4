// Loopback ports that nobody listens on. They are taken from below the range that the system gives to
// outgoing connections: while a server is down in a test, its port must not be handed to a client, and a
// client that keeps trying to reconnect must not end up connected to itself.

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

const LOWEST = 15_000;
const HIGHEST = 32_000;

/** Distinct ports: each is held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  try {
    for (let tries = 0; held.size < count; tries += 1) {
      if (tries > 1_000) throw new Error(`No ${count} free ports between ${LOWEST} and ${HIGHEST}`);
      const port = randomInt(LOWEST, HIGHEST);
      const server = held.has(port) ? undefined : await hold(port);
      if (server) held.set(port, server);
    }
    return [...held.keys()];
  } finally {
    await Promise.all([...held.values()].map(release));
  }
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function release(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
