import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gatherWrites } from './gather-writes.ts';

/** A socket that says how many pieces left together; what a channel would write is written to it directly. */
function openSocket(highWaterMark: number) {
  const left: number[] = [];
  const socket = new Writable({
    highWaterMark,
    write(_chunk, _encoding, done) {
      left.push(1);
      setImmediate(done);
    },
    writev(chunks, done) {
      left.push(chunks.length);
      setImmediate(done);
    },
  });
  return { socket, left, channel: { active: true, _conn: { _socket: socket } } };
}

test('what is written in one turn of the loop leaves together', async () => {
  const { socket, left, channel } = openSocket(1024);
  for (const piece of ['a', 'b', 'c']) {
    gatherWrites(channel);
    socket.write(piece);
  }
  assert.deepEqual(left, []);
  await nextTurn();
  assert.deepEqual(left, [3]);
});

test('what had to wait until the socket had drained leaves together too', async () => {
  const { socket, left, channel } = openSocket(2);
  gatherWrites(channel);
  const drained = new Promise<void>((resolve) => {
    // As the driver does it: each by itself, as soon as it hears that there is room again.
    socket.once('drain', () => {
      for (const piece of ['c', 'd', 'e']) socket.write(piece);
      resolve();
    });
  });
  for (const piece of ['a', 'b']) socket.write(piece);
  await drained;
  assert.deepEqual(left, [2]);
  await nextTurn();
  assert.deepEqual(left, [2, 3]);
});
