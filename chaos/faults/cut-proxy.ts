// A TCP proxy between the processes and an engine that can break a connection at the worst moment: after the engine has
// done the work and before a byte of its reply has passed. Other connections continue. Arming it cuts once, at the next
// such reply. An unreachable engine breaks the connection.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type CutProxy = {
  /** The engine's URL through this proxy. */
  through(url: string): string;
  /** Resolves when the next reply of that kind has been cut off. */
  cutNext(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** Whether these bytes of an engine contain the reply to cut off. */
export type IsAnswer = (bytes: Buffer) => boolean;

export async function openCutProxy(engineUrl: string, isAnswer: IsAnswer): Promise<CutProxy> {
  const { hostname, port } = new URL(engineUrl);
  const cables = new Set<Socket>();
  let cut: (() => void) | undefined;

  const server = createServer((client) => {
    const engine = connect(Number(port), hostname);
    const snap = () => {
      client.destroy();
      engine.destroy();
    };
    for (const end of [client, engine]) {
      cables.add(end);
      // The `close` event handles a broken socket.
      end.setNoDelay(true).on('error', () => {});
      end.once('close', () => {
        cables.delete(end);
        snap();
      });
    }
    client.pipe(engine, { end: true });
    engine.on('data', (bytes: Buffer) => {
      if (cut && isAnswer(bytes)) {
        cut();
        snap();
      } else if (!client.write(bytes)) pauseUntilDrained(engine, client);
    });
  });
  const ownPort = await listen(server);

  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(ownPort);
      return changed.href;
    },
    async cutNext(signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      cut = resolve;
      try {
        await promise;
      } finally {
        cut = undefined;
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const cable of cables) cable.destroy();
      await closed;
    },
  };
}

function pauseUntilDrained(from: Socket, to: Socket): void {
  from.pause();
  to.once('drain', () => from.resume());
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The cable has no port');
  return address.port;
}
