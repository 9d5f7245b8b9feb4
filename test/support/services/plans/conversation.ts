// A few bytes to and fro over a loopback connection: what a readiness probe needs instead of a driver.
// Fails when the peer is away, closes early, or says nothing for too long.

import { connect, type Socket } from 'node:net';

export type Conversation = {
  send(bytes: Buffer | string): void;
  /** The next `count` bytes. */
  receive(count: number): Promise<Buffer>;
};

const SILENCE_MS = 5_000;

export async function converse<T>(
  address: { host: string; port: number },
  talk: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const socket = connect(address);
  try {
    return await talk(conversationOver(socket));
  } finally {
    socket.destroy();
  }
}

/** Nothing but that somebody accepts a connection there. */
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

function conversationOver(socket: Socket): Conversation {
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
