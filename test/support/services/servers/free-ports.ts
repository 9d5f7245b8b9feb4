// Unused loopback ports below the system's ephemeral range. While a server is down in a test, its port must
// not be assigned to a client, and a reconnecting client must not connect to itself.

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

const MIN_PORT = 15_000;
const MAX_PORT = 32_000;

/** Distinct ports: each is bound until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const bound = new Map<number, Server>();
  try {
    for (let tries = 0; bound.size < count; tries += 1) {
      if (tries > 1_000)
        throw new Error(`No ${count} free ports between ${MIN_PORT} and ${MAX_PORT}`);
      const port = randomInt(MIN_PORT, MAX_PORT);
      const server = bound.has(port) ? undefined : await bind(port);
      if (server) bound.set(port, server);
    }
    return [...bound.keys()];
  } finally {
    await Promise.all([...bound.values()].map(close));
  }
}

function bind(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
