// Event streams over a real connection, with a test clock.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createLiveReplies, type LiveEvent, type LiveReplies } from './sse-reply.ts';

describe('event streams', () => {
  let app: FastifyInstance;
  let clock: TestClock;
  let live: LiveReplies;
  let port: number;
  /** The source of the next stream. */
  let open: (signal: AbortSignal) => AsyncIterable<readonly LiveEvent[]>;

  beforeEach(async () => {
    clock = createTestClock();
    live = createLiveReplies(clock, { perCaller: 2, total: 3 });
    app = Fastify();
    app.get('/live/:caller', async (request, reply) => {
      const { caller } = request.params as { caller: string };
      reply.header('x-request-id', 'req_1');
      await live.answer(reply, { caller, open: (signal) => open(signal) });
      return reply;
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(url).port);
  });
  afterEach(async () => {
    await live.close();
    await app.close();
  });

  /** A reader that reads only what it asks for. */
  async function read(caller: string) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /live/${caller} HTTP/1.1\r\nhost: x\r\n\r\n`);
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      socket.emit('read');
    });
    async function until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) await once(socket, 'read');
      return text;
    }
    return { socket, until };
  }

  async function* waiting(signal: AbortSignal): AsyncGenerator<readonly LiveEvent[]> {
    if (!signal.aborted) await once(signal, 'abort');
    yield [];
  }

  it('let other work run between the large pages of a source that never waits', async () => {
    let turns = 0;
    open = async function* pages() {
      for (let id = 1; id <= 3; id += 1) {
        const before = turns;
        setImmediate(() => void (turns += 1));
        yield [{ id, data: 'x'.repeat(20_000) }];
        assert.ok(turns > before, `page ${id}`);
      }
      yield [{ id: 4, data: 'last' }];
    };
    const { until } = await read('a');
    await until(/"last"/);
  });

  it('answer HEAD with their headers at once and take no slot', async () => {
    open = waiting;
    for (let count = 0; count < 5; count += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/live/a`, { method: 'HEAD' });
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    }
  });

  it('carry the request id header, an id with each event, and end with their source', async () => {
    open = async function* () {
      yield [{ id: 7, data: { line: 'a\nb' } }];
    };
    const { until } = await read('acme');
    const text = await until(/\r\n0\r\n\r\n$/);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /content-type: text\/event-stream/);
    assert.match(text, /x-request-id: req_1/);
    assert.ok(text.includes('id: 7\ndata: {"line":"a\\nb"}\n\n'));
  });

  it('are kept alive by comments while idle', async () => {
    open = waiting;
    const { socket, until } = await read('acme');
    await until(/retry: 2000/);
    await clock.advance(15_000);
    await until(/: keep-alive\n\n/);
    socket.destroy();
  });

  it('are bounded per caller and in total', async () => {
    open = waiting;
    for (const caller of ['acme', 'acme', 'other']) await (await read(caller)).until(/retry/);
    for (const caller of ['acme', 'third'])
      assert.match(await (await read(caller)).until(/\r\n\r\n/), /^HTTP\/1\.1 503/);
  });

  it('stop reading their source while the reader does not read', async () => {
    const pages = { taken: 0 };
    open = async function* (signal) {
      for (; !signal.aborted; pages.taken += 1)
        yield [{ id: pages.taken, data: 'x'.repeat(1_000_000) }];
    };
    const { socket, until } = await read('acme');
    await until(/retry/);
    socket.pause();
    // Fills the kernel's buffers on both sides.
    let seen = -1;
    while (seen !== pages.taken) {
      seen = pages.taken;
      for (let turn = 0; turn < 200; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(pages.taken < 100, `${pages.taken} pages`);
    socket.destroy();
  });

  it('end at once on close and release their slots', async () => {
    open = waiting;
    const { until } = await read('acme');
    await until(/retry/);
    await live.close();
    await until(/\r\n0\r\n\r\n$/);
    assert.equal(clock.pendingTimers(), 0);
    assert.match(await (await read('acme')).until(/\r\n\r\n/), /^HTTP\/1\.1 503/);
  });
});
