// Images that a job names by URL reach the provider as data, and none is fetched from an internal address.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { IMAGE_BOUNDS } from '../../../src/flow/jobs/image-quota.ts';
import { type Caller, newTenant } from '../../support/gateway/call-rig.ts';
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
      if (request.url?.startsWith('/never')) return void host.emit('waiting');
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

  /** Resolves to the path of the job. */
  async function submit({ url, apiKey }: Caller, images: readonly string[]): Promise<string> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'gpt-5-mini', prompt: 'What is this?', images });
    const receipt = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
    return textAt(await receipt.json(), 'links', 'self');
  }

  /** Resolves to the ended job. */
  async function run(gateway: Caller, ...images: readonly string[]): Promise<unknown> {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const self = await submit(gateway, images);
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

  test('jobs with a silent image host do not delay the job of another organisation', async () => {
    const hostile = await newTenant(open);
    // One more than an organisation may fetch at once.
    const { jobs } = IMAGE_BOUNDS.perOrganization;
    const waiting = untilRequested(jobs);
    const names = Array.from({ length: jobs + 1 }, (_, number) => `${url}/never/${number}`);
    const paths = await Promise.all(names.map((image) => submit(hostile, [image])));
    await waiting;
    const job = await run(await newTenant(open), `${url}/picture`);
    assert.equal(valueAt(job, 'status'), 'succeeded');
    const neverAnswered = requested.splice(0).filter((path) => path.startsWith('/never'));
    assert.equal(neverAnswered.length, jobs, 'fetches of one organisation at once');
    const headers = { authorization: `Bearer ${hostile.apiKey}` };
    for (const path of paths) {
      await fetch(open.url + path, { method: 'DELETE', headers });
      const view = await (await fetch(open.url + path, { headers })).json();
      assert.equal(valueAt(view, 'status'), 'cancelled');
    }
  });

  async function untilRequested(times: number): Promise<void> {
    for (let seen = 0; seen < times; seen += 1) await once(host, 'waiting');
  }

  test('an internal address is not connected to', async () => {
    for (const image of [
      `${url}/picture`,
      url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      url.replace('127.0.0.1', 'localhost'),
    ]) {
      const job = await run(shut, image);
      assert.equal(valueAt(job, 'error', 'code'), 'INVALID_REQUEST', image);
    }
    // A job of the previous test may begin to fetch while the others are cancelled.
    assert.deepEqual(
      requested.filter((path) => !path.startsWith('/never')),
      [],
    );
  });
});
