// The roles as separate processes on PostgreSQL, Redis and RabbitMQ: requests, streams and jobs across all of
// them, and the rejected combinations.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { finishSpillway } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const MODEL = 'claude-sonnet-5-5';

suite('roles in separate processes', () => {
  let cluster: TestCluster;
  let gatewayUrl: string;
  let folder: string;

  before(async () => {
    folder = makeTempFolder();
    cluster = await openTestCluster(services, folder);
    ({ url: gatewayUrl } = await cluster.start(['gateway']));
    await cluster.start(['dispatcher']);
    await cluster.start(['worker', '--provider', 'anthropic']);
  });
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a request is answered, unary and streamed', async () => {
    const client = new Anthropic({ baseURL: gatewayUrl, apiKey: cluster.apiKey, maxRetries: 0 });
    const ask = {
      model: MODEL,
      max_tokens: 40,
      messages: [{ role: 'user' as const, content: 'Hello' }],
    };
    const answer = await client.messages.create(ask);
    const streamed = await client.messages.stream(ask).finalMessage();
    assert.deepEqual(streamed.content, answer.content);
  });

  test('a job travels gateway → dispatcher → worker to its stored result', async () => {
    const receipt = await send('/v1/jobs', { prompt: 'Hello', model: MODEL });
    assert.equal(receipt.status, 202);
    const job = await finished(String(Reflect.get(receipt.body, 'id')));
    assert.equal(Reflect.get(job, 'status'), 'succeeded');
    assert.equal(Reflect.get(job, 'model'), MODEL);
  });

  test('a separate role without shared engines is refused with one sentence', async () => {
    for (const missing of ['DATABASE_URL', 'REDIS_URL']) {
      const { [missing]: _, ...env } = cluster.env;
      const ended = await finishSpillway(['worker'], {
        ...env,
        SPILLWAY_DATA_DIR: `${folder}/refused`,
      });
      assert.equal(ended.code, 2, missing);
      assert.match(ended.errors, new RegExp(missing));
      assert.equal(ended.errors.trim().split('\n').length, 1);
    }
  });

  async function finished(id: string): Promise<object> {
    for (;;) {
      const { body } = await send(`/v1/jobs/${id}`);
      if (!['queued', 'delayed', 'running'].includes(String(Reflect.get(body, 'status'))))
        return body;
    }
  }

  async function send(path: string, body?: unknown) {
    const response = await fetch(gatewayUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${cluster.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    assert.ok(typeof answer === 'object' && answer !== null);
    return { status: response.status, body: answer };
  }
});
