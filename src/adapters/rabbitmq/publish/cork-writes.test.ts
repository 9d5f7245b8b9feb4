import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { corkWrites } from './cork-writes.ts';

/** A socket that records the number of chunks in each write, and a channel with the driver's private fields. */
function openSocket(highWaterMark: number) {
  const writes: number[] = [];
  const socket = new Writable({
    highWaterMark,
    write(_chunk, _encoding, done) {
      writes.push(1);
      setImmediate(done);
    },
    writev(chunks, done) {
      writes.push(chunks.length);
      setImmediate(done);
    },
  });
  return { socket, writes, channel: { active: true, _conn: { _socket: socket } } };
}

test('the frames of one turn leave in one write', async () => {
  const { socket, writes, channel } = openSocket(1024);
  for (const frame of ['a', 'b', 'c']) {
    corkWrites(channel);
    socket.write(frame);
  }
  assert.deepEqual(writes, []);
  await nextTurn();
  assert.deepEqual(writes, [3]);
});

test('frames that waited for the socket to drain leave in one write', async () => {
  const { socket, writes, channel } = openSocket(2);
  corkWrites(channel);
  const drained = new Promise<void>((resolve) => {
    // The driver writes the waiting frames one by one when the socket has drained.
    socket.once('drain', () => {
      for (const frame of ['c', 'd', 'e']) socket.write(frame);
      resolve();
    });
  });
  for (const frame of ['a', 'b']) socket.write(frame);
  await drained;
  assert.deepEqual(writes, [2]);
  await nextTurn();
  assert.deepEqual(writes, [2, 3]);
});

test('a socket that the driver corked stays corked', async () => {
  const { socket, writes, channel } = openSocket(1024);
  socket.cork();
  corkWrites(channel);
  socket.write('a');
  await nextTurn();
  assert.deepEqual(writes, []);
  assert.equal(socket.writableCorked, 1);
});

test('frames are written one by one when the driver has other private fields', async () => {
  const { socket, writes } = openSocket(1024);
  const noMethods = { writableCorked: 0, destroyed: false };
  const others = [
    { active: true },
    { active: true, _conn: undefined },
    { active: true, _conn: { socket } },
    { active: true, _conn: { _socket: noMethods } },
    { active: true, connection: { _socket: socket } },
  ];
  for (const channel of others) {
    corkWrites(channel);
    socket.write('a');
    await nextTurn();
    await nextTurn();
  }
  assert.deepEqual(
    writes,
    others.map(() => 1),
  );
});
