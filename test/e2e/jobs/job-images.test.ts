// Images that a job names by URL reach the provider as data, and none is fetched from an internal address.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';

const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64');

suite('images of jobs', () => {
  let host: Server;
  let url: string;
  let requested: string[];
  let open: TestGateway;
  let shut: TestGateway;
  before(async () => {
    requested = [];
    host = createServer((request, response) => {
      requested.push(request.url ?? '');
      const type = request.url === '/page' ? 'text/html' : 'image/png';
      response.writeHead(200, { 'content-type': type }).end(PIXEL);
    });
    host.listen(0, '127.0.0.1');
    await once(host, 'listening');
    const address = host.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    open = await startTestGateway({ EGRESS_ALLOW_HOSTS: '127.0.0.1' });
    shut = await startTestGateway();
  });
  after(async () => {
    await Promise.all([open.close(), shut.close()]);
    host.closeAllConnections();
    host.close();
  });

  /** Resolves to the ended job. */
  async function run(gateway: TestGateway, image: string): Promise<unknown> {
    const headers = {
      authorization: `Bearer ${gateway.apiKey}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ model: 'gpt-5-mini', prompt: 'What is this?', images: [image] });
    const receipt = await fetch(`${gateway.url}/v1/jobs`, { method: 'POST', headers, body });
    const self = textAt(await receipt.json(), 'links', 'self');
    const events = await fetch(`${gateway.url}${self}/events`, {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    await events.text();
    const view = await fetch(gateway.url + self, { headers });
    return view.json();
  }

  test('an image URL is fetched and sent as data', async () => {
    const job = await run(open, `${url}/picture`);
    assert.equal(valueAt(job, 'status'), 'succeeded');
    assert.deepEqual(requested.splice(0), ['/picture']);
  });

  test('a non-image URL fails the job with INVALID_REQUEST', async () => {
    const job = await run(open, `${url}/page`);
    assert.equal(valueAt(job, 'error', 'code'), 'INVALID_REQUEST');
    assert.deepEqual(valueAt(job, 'error', 'params'), { field: 'images' });
    requested = [];
  });

  test('an internal address is not connected to', async () => {
    for (const image of [
      `${url}/picture`,
      url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      url.replace('127.0.0.1', 'localhost'),
    ]) {
      const job = await run(shut, image);
      assert.equal(valueAt(job, 'error', 'code'), 'INVALID_REQUEST', image);
    }
    assert.deepEqual(requested, []);
  });
});
