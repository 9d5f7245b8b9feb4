// A minimal exchange of bytes over a loopback connection, which lets a readiness probe do without a driver.
// Fails if the peer is unreachable, closes early, or stays silent too long.

import { connect, type Socket } from 'node:net';

export type ProbeConnection = {
  send(bytes: Buffer | string): void;
  /** The next `count` bytes. */
  receive(count: number): Promise<Buffer>;
};

const SILENCE_MS = 5_000;

export async function withConnection<T>(
  address: { host: string; port: number },
  talk: (conversation: ProbeConnection) => Promise<T>,
): Promise<T> {
  const socket = connect(address);
  try {
    return await talk(connectionOver(socket));
  } finally {
    socket.destroy();
  }
}

/** Only checks whether the address accepts a connection. */
export function canConnect(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(SILENCE_MS, () => answer(false));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

function connectionOver(socket: Socket): ProbeConnection {
  let buffered = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake = () => {};
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  socket.setTimeout(SILENCE_MS, () => fail(new Error('no answer')));
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed')));
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    wake();
  });
  return {
    send: (bytes) => void socket.write(bytes),
    async receive(count) {
      while (buffered.length < count) {
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = buffered.subarray(0, count);
      buffered = buffered.subarray(count);
      return taken;
    },
  };
}
