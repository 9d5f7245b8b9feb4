import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import type { LogEntry } from '../kernel/log.ts';
import { RefusalLimit } from './refusal-limit.ts';
import { createUnreadableLog, createUnreadableReplier } from './unreadable-request.ts';

suite('requests that are no HTTP', () => {
  const server = createServer((_request, response) => response.end());
  const logged: LogEntry[] = [];
  before(async () => {
    server.on(
      'clientError',
      createUnreadableReplier(
        (prefix) => `${prefix}_1`,
        systemClock,
        createUnreadableLog(
          { write: (entry) => void logged.push(entry), flush: () => Promise.resolve() },
          new RefusalLimit(systemClock, { perMinute: 2, burst: 2 }),
        ),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  test('an invalid request line gets INVALID_REQUEST with an id', async () => {
    const answer = await send('GARBAGE\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer, /\r\nx-request-id: req_1\r\n/);
    assert.match(answer, /\r\nx-should-retry: false\r\n/);
    const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    assert.equal(error.code, 'INVALID_REQUEST');
    assert.equal(error.requestId, 'req_1');
  });

  test('oversized headers get REQUEST_TOO_LARGE', async () => {
    const answer = await send(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}`);
    assert.match(answer, /^HTTP\/1\.1 413 Content Too Large\r\n/);
    assert.match(answer, /"code":"REQUEST_TOO_LARGE"/);
  });

  test('an incomplete request gets INVALID_REQUEST', async () => {
    const answer = await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: nonsense\r\n\r\n');
    assert.match(answer, /"code":"INVALID_REQUEST"/);
  });

  test('each is logged with its reason, up to the refusal limit of the address', () => {
    assert.deepEqual(
      logged.map(({ level, requestId, metadata }) => [level, requestId, metadata?.['code']]),
      [
        ['warn', 'req_1', 'INVALID_REQUEST'],
        ['warn', 'req_1', 'REQUEST_TOO_LARGE'],
      ],
    );
    assert.match(logged[0]?.message ?? '', /^not a valid HTTP request: .*method/i);
  });

  /** All that comes back until the connection ends. */
  async function send(bytes: string): Promise<string> {
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const socket = connect(address.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => {});
    socket.write(bytes);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return answer;
  }
});
