// Requests that return to a server which they have passed: refused when it starts, if its configuration shows the loop, and
// else per request, through any chain of servers.

import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { finishSpillway } from '../../support/gateway/spillway-process.ts';
import {
  startTestGateway,
  TEST_API_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const FORMATS = [
  ['anthropic', '/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }],
  ['openai', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
  [
    'gemini',
    '/v1beta/models/loop-gemini:generateContent',
    { contents: [{ parts: [{ text: 'Hello' }] }] },
  ],
] as const;

suite('loops', () => {
  test('a request that returns through another server is LOOP_DETECTED after one round', async (context) => {
    const { gateway, passed } = await loopOfTwo(context);
    for (const [format, path, body] of FORMATS) {
      const before = passed();
      const answer = await call(gateway, path, { model: `loop-${format}`, ...body });
      assert.equal(answer.status, 508, await answer.clone().text());
      assert.equal(answer.headers.get('x-spillway-code'), 'LOOP_DETECTED');
      assert.equal(answer.headers.get('x-should-retry'), 'false');
      assert.equal(answer.headers.get('x-spillway-attempts'), '1');
      assert.equal(passed() - before, 2, 'one call from each server');
    }
  });

  test('a loop counts as no failure of the provider, and a caller gains nothing by the header', async (context) => {
    const { gateway, passed } = await loopOfTwo(context);
    const [, path, body] = FORMATS[1];
    for (let count = 0; count < 8; count += 1)
      assert.equal((await call(gateway, path, { model: 'loop-openai', ...body })).status, 508);
    assert.equal(passed(), 16, 'no circuit has opened');
    const forged = Array.from({ length: 8 }, () => '0123456789abcdef').join();
    const served = { model: 'gpt-5-mini', ...body };
    const refused = await call(gateway, path, served, { 'x-spillway-hops': forged });
    assert.equal(refused.status, 508);
    for (const harmless of ['', 'nonsense', '0123456789abcdef', 'x'.repeat(5000)]) {
      const answer = await call(gateway, path, served, { 'x-spillway-hops': harmless });
      assert.equal(answer.status, 200, await answer.text());
    }
  });

  test('a server that is its own provider does not start', async (context) => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']) {
      const { code, errors, output } = await finishSpillway(['serve'], {
        PORT: '18787',
        ANTHROPIC_BASE_URL: `http://${host}:18787`,
        ANTHROPIC_API_KEY: 'sk-spill-of-a-client',
        SPILLWAY_DATA_DIR: tempFolder(context),
      });
      assert.equal(code, 2, errors);
      assert.equal(output, '');
      assert.match(errors, /^ANTHROPIC_BASE_URL .* is this server itself.*\n$/);
    }
  });
});

function call(
  { url }: TestGateway,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_API_KEY}`, ...headers },
    body: JSON.stringify(body),
  });
}

/** Two gateways, each the provider of the other through a forwarder that counts requests. */
async function loopOfTwo(
  context: TestContext,
): Promise<{ gateway: TestGateway; passed: () => number }> {
  let count = 0;
  const addresses: URL[] = [];
  const forwarders = [0, 1].map((index) => forwarder(() => addresses[index]));
  const urls = await Promise.all(forwarders.map(({ url }) => url));
  const gateways: TestGateway[] = [];
  for (const [index, other] of [urls[1], urls[0]].entries()) {
    const gateway = await startTestGateway({}, () => providersAt(String(other)));
    addresses[index] = new URL(gateway.url);
    gateways.push(gateway);
  }
  context.after(async () => {
    for (const each of gateways) await each.close();
    for (const { close } of forwarders) close();
  });
  const [gateway] = gateways;
  assert.ok(gateway);
  return { gateway, passed: () => count };

  function forwarder(target: () => URL | undefined) {
    const server = createServer((request, response) => {
      count += 1;
      const { hostname, port } = target() ?? new URL('http://127.0.0.1:9');
      const { method, url, headers } = request;
      const sent = httpRequest({ hostname, port, path: url, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      sent.on('error', () => response.destroy());
      request.pipe(sent);
    });
    const url = new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${portOf(server.address())}`));
    });
    return { url, close: () => server.close().closeAllConnections() };
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address ? address.port : 0;
}

/** With the default retries and breaker: a loop must cause neither a retry nor an open circuit. */
function providersAt(url: string): string {
  const lines = FORMATS.map(
    ([format]) =>
      `  next-${format}: { format: ${format}, baseUrl: "${url}${format === 'openai' ? '/v1' : ''}", apiKey: ${TEST_API_KEY}, models: [loop-${format}] }`,
  );
  const prices = FORMATS.map(([format]) => `    loop-${format}: { inputUsd: 1, outputUsd: 1 }`);
  return ['providers:', ...lines, 'prices:', '  models:', ...prices, ''].join('\n');
}
