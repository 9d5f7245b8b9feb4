import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { writeChunk } from './write-chunk.ts';

const PIECES = ['first é\n', 'second\r\n', '', 'x'.repeat(40_000), 'last but one'];

let server: Server;
let port: number;

/** All in one turn, or each in a turn of its own. */
function answer(response: ServerResponse, isInOneTurn: boolean): void {
  response.writeHead(200, ['content-type', 'text/event-stream']);
  PIECES.forEach((piece, index) => {
    const write = () => void writeChunk(response, Buffer.from(piece), index === 0);
    if (isInOneTurn) write();
    else setImmediate(write);
  });
  if (isInOneTurn) response.end('end');
  else setImmediate(() => response.end('end'));
}

async function ask(request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  const answered = await text(socket.setEncoding('latin1'));
  return Buffer.from(answered, 'latin1').toString('utf8');
}

suite('pieces of a streamed answer', () => {
  before(async () => {
    server = createServer((request, response) => answer(response, request.url === '/at-once'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  after(() => server.close());

  for (const path of ['/at-once', '/in-turns']) {
    test(`${path}: a client reads the chunks in order`, async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      assert.equal(response.headers.get('content-type'), 'text/event-stream');
      assert.equal(await response.text(), `${PIECES.join('')}end`);
    });

    test(`${path}: responses to pipelined requests do not overtake each other`, async () => {
      const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
      const last = `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      const answers = (await ask(request + request + last)).split('HTTP/1.1 200 OK').slice(1);
      assert.equal(answers.length, 3);
      for (const each of answers) {
        assert.match(each, /\r\n\r\n9\r\nfirst é\n\r\n/);
        assert.ok(each.endsWith('3\r\nend\r\n0\r\n\r\n'), JSON.stringify(each.slice(-40)));
      }
    });
  }

  test('an HTTP/1.0 caller gets the body without chunked encoding', async () => {
    const answered = await ask('GET /at-once HTTP/1.0\r\nhost: x\r\n\r\n');
    assert.ok(answered.endsWith(`\r\n\r\n${PIECES.join('')}end`));
  });
});
