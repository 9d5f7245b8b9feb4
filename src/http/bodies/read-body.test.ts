import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
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
