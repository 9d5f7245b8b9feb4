import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import type { UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import { createHttp1Upstream } from './upstream.ts';

test('a large answer that has arrived is read in pieces, with a turn of the event loop between them', async (context) => {
  const answer = Buffer.alloc(8 * 2 ** 20, 'x');
  const server = createServer((_request, response) => void response.end(answer));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const options = { connectTimeoutMs: 5000, maxConnectionsPerOrigin: 2, clock: systemClock };
  const upstream = createHttp1Upstream(options);
  context.after(() => upstream.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let total = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  await new Promise<void>((resolve, reject) => {
    const listener = {
      onHead() {},
      onData({ length }: Buffer) {
        total += length;
        if (inTurn === 0) setImmediate(() => void (inTurn = 0));
        inTurn += length;
        mostInTurn = Math.max(mostInTurn, inTurn);
      },
      onEnd: resolve,
      onFailure: reject,
    };
    upstream.send({ origin, path: '/', method: 'POST', headers: [], body: Buffer.of() }, listener);
  });
  assert.equal(total, answer.length);
  assert.ok(mostInTurn <= 128 * 1024, `${mostInTurn} bytes`);
});

test('callers that take their bytes at once do not resume more than a few connections in a turn', async (context) => {
  const COUNT = 24;
  const server = createServer(
    (_request, response) => void response.end(Buffer.alloc(8 * 2 ** 20, 'x')),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const options = { connectTimeoutMs: 5000, maxConnectionsPerOrigin: COUNT, clock: systemClock };
  const upstream = createHttp1Upstream(options);
  context.after(() => upstream.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let paused = 0;
  let readInTurn = 0;
  let mostInTurn = 0;
  const ended: Promise<void>[] = [];
  const allPaused = Promise.withResolvers<void>();
  const calls = Array.from({ length: COUNT }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    ended.push(promise);
    let isFirst = true;
    const request: UpstreamRequest = {
      origin,
      path: '/',
      method: 'POST',
      headers: [],
      body: Buffer.of(),
    };
    const call: UpstreamCall = upstream.send(request, {
      onHead() {},
      onData() {
        if (isFirst) {
          isFirst = false;
          call.pause();
          paused += 1;
          if (paused === COUNT) allPaused.resolve();
          return;
        }
        if (readInTurn === 0) setImmediate(() => void (readInTurn = 0));
        readInTurn += 1;
        mostInTurn = Math.max(mostInTurn, readInTurn);
      },
      onEnd: resolve,
      onFailure: reject,
    });
    return call;
  });
  await allPaused.promise;
  for (const call of calls) call.resume();
  await Promise.all(ended);
  assert.ok(mostInTurn <= 8, `${mostInTurn} connections`);
});
