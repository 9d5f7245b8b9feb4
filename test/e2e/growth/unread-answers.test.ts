// Callers that do not read what they asked for, and callers that send bodies in tiny pieces: the process stays small meanwhile,
// not only afterwards. The provider of this test answers with embeddings of 20 MB.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { runSpillway, type SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const MIB = 2 ** 20;
const ADMIN_KEY = 'an-admin-key-for-growth-0123456789abcdef';
const API_KEY = 'a-key-for-growth-0123456789';
const SETTINGS = `
prices: { fallback: { inputUsd: 1, outputUsd: 2 } }
server: { maxOrganizationBodyBytes: 64MiB, maxBodyBytes: 128MiB }
`;
const EMBEDDING = `{"object":"embedding","index":0,"embedding":[${'-0.0123456789,'.repeat(1535)}0]}`;
const EMBEDDINGS = Buffer.from(
  `{"object":"list","data":[${`${EMBEDDING},`.repeat(Math.ceil((20 * MIB) / EMBEDDING.length)).slice(0, -1)}],"model":"m","usage":{"prompt_tokens":5,"total_tokens":5}}`,
);
const EVENT = `data: {"choices":[{"index":0,"delta":{"content":"${'word '.repeat(20)}"}}]}\n\n`;
const EVENTS = Buffer.from(EVENT.repeat(300));
const CHAT = JSON.stringify({
  model: 'gpt-5-mini',
  stream: true,
  messages: [{ role: 'user', content: 'Hello' }],
});
const EMBED = JSON.stringify({ model: 'text-embedding-3-small', input: 'Hello' });

suite('callers that do not read', () => {
  const folder = makeTempFolder();
  const sockets: Socket[] = [];
  let provider: Server;
  let spillway: SpillwayProcess;
  let url = '';
  let startBytes = 0;

  before(async () => {
    provider = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        if (request.url?.endsWith('/chat/completions')) return streamFast(response);
        response.writeHead(200, { 'content-type': 'application/json' }).end(EMBEDDINGS);
      });
    });
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    writeFileSync(join(folder, 'spillway.yaml'), SETTINGS);
    spillway = runSpillway(['serve', '--config', join(folder, 'spillway.yaml')], {
      SPILLWAY_DATA_DIR: folder,
      SPILLWAY_ADMIN_KEY: ADMIN_KEY,
      SPILLWAY_API_KEY: API_KEY,
      LOG_LEVEL: 'critical',
      OPENAI_API_KEY: 'provider-key',
      OPENAI_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
      OPENAI_RATE_LIMIT: '1000000',
    });
    url = await spillway.ready();
    const raised = await fetch(`${url}/admin/orgs/default`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ requestsPerMinute: 1e6, monthlyBudgetUsd: 1e6 }),
    });
    assert.ok(raised.ok, await raised.text());
    startBytes = residentBytes();
    for (let count = 0; count < 3; count += 1) assert.equal(await embed(), 200);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(async () => {
    spillway.kill('SIGKILL');
    await spillway.ended();
    provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function embed(): Promise<number> {
    const headers = { authorization: `Bearer ${API_KEY}` };
    const response = await fetch(`${url}/v1/embeddings`, { method: 'POST', headers, body: EMBED });
    await response.arrayBuffer();
    return response.status;
  }

  function residentBytes(): number {
    const status = readFileSync(`/proc/${spillway.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** Sends a request and reads nothing. */
  function ask(method: string, path: string, head = '', body = ''): Socket {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\n${head}\r\n${body}`,
    );
    sockets.push(socket);
    return socket;
  }

  async function peakDuring(work: () => Promise<void>): Promise<number> {
    const baseBytes = residentBytes();
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, residentBytes());
    }, 50);
    await work().finally(() => clearInterval(timer));
    return Math.round((peak - baseBytes) / MIB);
  }

  /** An idle process returns its memory within seconds. */
  async function assertReturned(): Promise<void> {
    let grown = Number.POSITIVE_INFINITY;
    for (let second = 0; second < 60 && grown > 100; second += 1) {
      await pause(1000);
      grown = (residentBytes() - startBytes) / MIB;
    }
    assert.ok(grown <= 100, `${Math.round(grown)} MiB`);
  }

  /** While answers still arrive a request may be admitted, and its answer beyond the bound closes the connection. */
  async function untilRefused(): Promise<void> {
    for (let status = 0; status !== 429; status = await embed().catch(() => 0)) await pause(50);
  }

  async function untilServed(): Promise<void> {
    for (let status = 0; status !== 200; status = await embed().catch(() => 0)) await pause(50);
  }

  test('bodies in chunks of one byte take no multiple of their size', async () => {
    const piece = Buffer.from('1\r\nx\r\n'.repeat(10_000));
    for (const path of ['/v1/chat/completions', '/v1/jobs']) {
      const grown = await peakDuring(async () => {
        const uploads = [1, 2, 3, 4].map(() => ask('POST', path, 'transfer-encoding: chunked\r\n'));
        for (let sent = 0; sent < 100; sent += 1) {
          for (const upload of uploads) upload.write(piece);
          await pause(30);
        }
      });
      for (const socket of sockets.splice(0)) socket.destroy();
      assert.ok(grown < 150, `${path}: ${grown} MiB`);
    }
  });

  test('unread answers of an organisation are bounded, and its requests are refused meanwhile', async () => {
    const grown = await peakDuring(async () => {
      for (let count = 0; count < 40; count += 1) {
        ask('POST', '/v1/embeddings', `content-length: ${EMBED.length}\r\n`, EMBED);
        await pause(50);
      }
      await pause(2000);
      await untilRefused();
    });
    assert.ok(grown < 400, `${grown} MiB`);
    for (const socket of sockets.splice(0)) socket.destroy();
    await untilServed();
  });

  test('pipelined requests whose answers wait for their turn are bounded, too', async () => {
    const one = `POST /v1/embeddings HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-length: ${EMBED.length}\r\n\r\n${EMBED}`;
    const grown = await peakDuring(async () => {
      for (let count = 0; count < 4; count += 1) ask('GET', '/health').write(one.repeat(15));
      await pause(5000);
    });
    assert.ok(grown < 600, `${grown} MiB`);
    for (const socket of sockets.splice(0)) socket.destroy();
    await untilServed();
  });

  test('answers of 20 MB leave no memory behind', async () => {
    for (let round = 0; round < 8; round += 1) await Promise.all([1, 2, 3, 4, 5].map(embed));
    await assertReturned();
  });

  test('hundreds of fast streams whose callers stop reading leave no memory behind', async () => {
    for (let count = 0; count < 250; count += 1)
      ask('POST', '/v1/chat/completions', `content-length: ${CHAT.length}\r\n`, CHAT);
    await pause(5000);
    for (const socket of sockets.splice(0)) socket.destroy();
    await assertReturned();
  });
});

/** More than the buffers of both connections take, at the pace of its reader. */
function streamFast(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let written = 0;
  const goOn = () => {
    while (written < 400) {
      written += 1;
      if (!response.write(EVENTS)) return void response.once('drain', goOn);
    }
    response.end('data: [DONE]\n\n');
  };
  goOn();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
