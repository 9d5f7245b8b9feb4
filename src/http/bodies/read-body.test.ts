import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createWatch } from '../../kernel/watch.ts';
import { BodyQuota } from './body-quota.ts';
import { DecodeQueue } from './decode-queue.ts';
import { readBody } from './read-body.ts';

const MIB = 2 ** 20;

for (const [chunk, count, outcome] of [
  ['{', 8000, 'read'],
  ['{', 9000, 'refused'],
  ['{ "a": "some text" }', 20_000, 'read'],
] as const)
  test(`a body in ${count} chunks of ${chunk.length} bytes is ${outcome}`, async (context) => {
    const quota = new BodyQuota({ maxBytes: MIB, maxBytesPerOrganization: MIB });
    const watch = createWatch(systemClock);
    context.after(() => watch.close());
    const decoding = new DecodeQueue();
    const intake = { clock: systemClock, watch, idleTimeoutMs: 10_000, decoding };
    const body = Promise.withResolvers<Buffer>();
    const server = createServer((request, response) => {
      const lease = quota.admit({ organizationId: 'one', maxConcurrent: undefined }, undefined);
      readBody(request, { limitBytes: MIB, lease }, intake, body.resolve, body.reject);
      void body.promise.catch(() => {}).then(() => response.end());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    context.after(() => server.close());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    context.after(() => socket.destroy());
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(`${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`);
    if (outcome === 'read') assert.equal((await body.promise).toString(), chunk.repeat(count));
    else await assert.rejects(body.promise, { code: 'INVALID_REQUEST' });
  });

test('large bodies that are complete at once are served in turns, and small ones at once', async (context) => {
  const quota = new BodyQuota({ maxBytes: 16 * MIB, maxBytesPerOrganization: 16 * MIB });
  const watch = createWatch(systemClock);
  context.after(() => watch.close());
  const intake = { clock: systemClock, watch, idleTimeoutMs: 10_000, decoding: new DecodeQueue() };
  let turn = 0;
  const count = (): void => {
    turn += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  context.after(() => clearImmediate(counting));
  /** The number of turns of the event loop in which two bodies are served. */
  const turnsOf = async (bytes: number): Promise<number> => {
    const read = (): Promise<number> => {
      const request = new IncomingMessage(new Socket());
      request.headers = { 'content-length': String(bytes) };
      request.push(Buffer.alloc(bytes, ' '));
      request.push(null);
      const lease = quota.admit({ organizationId: 'one', maxConcurrent: undefined }, bytes);
      return new Promise((resolve, reject) => {
        readBody(request, { limitBytes: 2 * MIB, lease }, intake, () => resolve(turn), reject);
      });
    };
    return new Set(await Promise.all([read(), read()])).size;
  };
  assert.equal(await turnsOf(2 * MIB), 2);
  assert.equal(await turnsOf(1000), 1);
});
