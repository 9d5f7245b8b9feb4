// Three gateways on one store and one Redis, two in us-east and one in eu-west, each region with its own provider. When the
// provider of us-east is limited, requests to any gateway are served by eu-west. A recording proxy in front of eu-west
// captures calls between servers, which the test then tampers with.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { untilStatus } from '../../support/gateway/cluster-status.ts';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const MODEL = 'claude-sonnet-5-5';
const ASK = {
  model: MODEL,
  max_tokens: 40,
  messages: [{ role: 'user' as const, content: 'Hello' }],
};
const SECRET = 'an-inter-server-secret-of-32-bytes!';

type Captured = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Passes requests on to `target` and keeps them. */
async function openRecorder() {
  const captured: Captured[] = [];
  let target = '';
  const server: Server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const body = Buffer.concat(chunks);
      captured.push({ method, url, headers, body });
      const call = request(target + url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      call.on('error', () => outgoing.destroy());
      call.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    captured,
    pointTo: (url: string) => void (target = url),
    close: () => void server.close(),
  };
}

suite('forwarding between servers', () => {
  let cluster: TestCluster;
  let folder: string;
  let europe: Simulator;
  let recorder: Awaited<ReturnType<typeof openRecorder>>;
  const region = uniqueName('us-east');
  const urls: string[] = [];
  const gateways: SpillwayProcess[] = [];

  before(async () => {
    folder = makeTempFolder();
    europe = await startSimulator({ clock: systemClock });
    recorder = await openRecorder();
    cluster = await openTestCluster(services, folder, {
      INTER_SERVER_SECRET: SECRET,
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      SERVER_REGION: region,
    });
    await start({ SERVER_ID: 'us-1' });
    await start({ SERVER_ID: 'us-2' });
    await start({
      SERVER_ID: 'eu-1',
      SERVER_REGION: uniqueName('eu-west'),
      SERVER_URL: recorder.url,
      ANTHROPIC_BASE_URL: europe.url,
    });
    recorder.pointTo(urls[2] ?? '');
    await untilRegistered(3);
  });
  after(async () => {
    recorder.close();
    await cluster.close();
    await europe.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    cluster.simulator.resetScenario();
    await admin(`/admin/limits/anthropic/${region}`, 'DELETE');
  });

  async function start(env: Record<string, string>): Promise<void> {
    const { process, url } = await cluster.start(['gateway'], env);
    gateways.push(process);
    urls.push(url);
  }

  async function admin(path: string, method = 'GET', at = 0): Promise<Response> {
    const headers = { authorization: `Bearer ${cluster.adminKey}` };
    return fetch(`${urls[at]}${path}`, { method, headers });
  }

  /** At every server, with the URL that a server announces when it listens. */
  async function untilRegistered(count: number): Promise<void> {
    for (const url of urls)
      await untilStatus(
        { url, adminKey: cluster.adminKey },
        ({ servers }) => servers.filter((server) => server.url !== undefined).length === count,
        20_000,
      );
  }

  function ask(at: number, headers: Record<string, string> = {}, body: object = ASK) {
    return fetch(`${urls[at]}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  test('a limit of one region sends requests to any server to another region, unary and streamed', async () => {
    const direct = await ask(2);
    assert.equal(direct.headers.get('x-spillway-served-by'), 'eu-1');
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const calls = europe.log().length;
    for (const at of [0, 1, 0, 1]) {
      const answer = await ask(at, { 'x-request-id': `mine-${at}`, 'x-build-id': 'build-7' });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-spillway-served-by'), 'eu-1');
      assert.equal(answer.headers.get('x-correlation-id'), `mine-${at}`);
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    }
    const client = new Anthropic({ baseURL: urls[0], apiKey: cluster.apiKey, maxRetries: 0 });
    const unary = await client.messages.create(ASK);
    const streamed = await client.messages.stream(ASK).finalMessage();
    assert.deepEqual(streamed.content, unary.content);
    assert.equal(europe.log().length - calls, 6);
    const refused = cluster.simulator.log().filter(({ outcome }) => outcome === 'refused');
    assert.equal(refused.length, 1, 'the limited provider is asked once');
    assert.match(gateways[0]?.output() ?? '', /build_routed_external.*"buildId":"build-7"/);
  });

  test('a forwarded request is charged once, and an idempotent repeat not at all', async () => {
    const key = await newKey('acme');
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    await ask(0);
    const calls = europe.log().length;
    const headers = { 'x-api-key': key, 'idempotency-key': 'forward-once' };
    const first = await ask(0, headers);
    assert.equal(first.headers.get('x-spillway-served-by'), 'eu-1');
    const body = await first.text();
    const repeated = await ask(1, headers);
    assert.equal(await repeated.text(), body);
    assert.equal(europe.log().length - calls, 1);
    const cost = Number(first.headers.get('x-spillway-cost-usd'));
    assert.ok(cost > 0);
    let spent = 0;
    while (spent === 0) spent = await spentUsd(key);
    assert.equal(spent, cost);
  });

  async function newKey(organization: string): Promise<string> {
    const headers = {
      authorization: `Bearer ${cluster.adminKey}`,
      'content-type': 'application/json',
    };
    const send = async (path: string, body: object): Promise<unknown> => {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(urls[0] + path, init)).json();
    };
    await send('/admin/orgs', { id: organization, name: organization });
    const made = await send(`/admin/orgs/${organization}/keys`, { name: 'test' });
    return String(Reflect.get(Object(made), 'key'));
  }

  async function spentUsd(key: string): Promise<number> {
    const headers = { 'x-api-key': key };
    const budget: unknown = await (await fetch(`${urls[0]}/v1/budget`, { headers })).json();
    return Number(Reflect.get(Object(budget), 'spentUsd'));
  }

  test('replayed, re-targeted, body-swapped and forged calls between servers are refused', async () => {
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    recorder.captured.length = 0;
    assert.equal((await ask(0)).status, 200);
    const call = recorder.captured.at(-1);
    assert.ok(call);
    assert.equal(call.headers['x-api-key'], undefined);
    const before = europe.log().length;
    assert.equal(await resend(2, call), 401, 'replayed');
    assert.equal(await resend(1, call), 401, 're-targeted');
    const swapped = Buffer.from(call.body.toString().replace('Hello', 'Jello'));
    assert.equal(await resend(2, { ...call, body: swapped }), 401, 'body-swapped');
    const forged = { ...call.headers, 'x-spillway-principal': 'eyJvcmdhbml6YXRpb25JZCI6IngifQ' };
    assert.equal(await resend(2, { ...call, headers: forged }), 401, 'forged');
    const { signature: _, ...unsigned } = call.headers;
    assert.equal(await resend(2, { ...call, headers: unsigned }), 401, 'without a signature');
    assert.equal(europe.log().length, before);
  });

  test('a client that sends the headers of servers gains nothing', async () => {
    const headers = {
      'x-original-server': 'us-1',
      'x-spillway-source': 'us-1',
      'x-spillway-hop': '1',
      'x-spillway-principal': 'eyJvcmdhbml6YXRpb25JZCI6IngifQ',
    };
    const served = await ask(0, headers);
    assert.equal(served.headers.get('x-spillway-served-by'), 'us-1');
    const anonymous = await ask(0, { ...headers, 'x-api-key': 'wrong' });
    assert.equal(anonymous.status, 401);
  });

  function resend(at: number, { method, url, headers, body }: Captured): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = { ...headers, 'content-length': String(body.length) };
      const call = request(`${urls[at]}${url}`, { method, headers: sent }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  test('when no server is left the caller gets the honest answer of the first', async () => {
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    europe.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const answer = await ask(0);
    assert.equal(answer.status, 429);
    assert.match(await answer.text(), /AI_LIMIT_REACHED/);
    europe.resetScenario();
  });
});
