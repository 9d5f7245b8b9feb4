// Two gateway processes on one Redis and one PostgreSQL. A usage limit that a product reports to one gateway keeps both from
// calling the provider, if the key has that scope; an event accepted by one gateway reaches readers of the other. The
// simulator's log is the evidence.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openEventStream } from '../../support/gateway/event-stream.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { runOn } from '../../support/stores/isolated-postgres.ts';

suite('two gateways on one Redis', () => {
  let cluster: TestCluster;
  let folder: string;
  let first: string;
  let second: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
    cluster = await openTestCluster(servicesFromEnv(process.env), folder);
    first = (await cluster.start(['gateway'])).url;
    second = (await cluster.start(['gateway'])).url;
  });
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(url: string, path: string, key: string, body?: object) {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer };
  }

  async function newKey(...scopes: readonly string[]): Promise<string> {
    const body = { name: 'product', scopes };
    const made = await ask(first, '/admin/orgs/default/keys', cluster.adminKey, body);
    return textAt(made.body, 'key');
  }

  function callClaude(url: string) {
    const messages = [{ role: 'user', content: 'Hello' }];
    return ask(url, '/v1/messages', cluster.apiKey, {
      model: 'claude-sonnet-5-5',
      max_tokens: 20,
      messages,
    });
  }

  /** The limit of this cluster's own region: other tests share the Redis of a test run. */
  async function limitsAt(url: string): Promise<unknown> {
    const { body } = await ask(url, '/admin/limits', cluster.adminKey);
    const limits: unknown = valueAt(body, 'data');
    assert.ok(Array.isArray(limits));
    return limits.find((limit) => valueAt(limit, 'region') === cluster.env['SERVER_REGION']);
  }

  const resetAt = Math.floor(Date.now() / 1000) + 3600;
  const error = `Claude AI usage limit reached|${resetAt}`;

  test('a limit reported with an ordinary key is stored in three forms and stops no calls', async () => {
    const posted = await ask(first, '/v1/builds/b1/events', await newKey('events'), {
      type: 'failed',
      error,
    });
    assert.equal(posted.status, 201);
    for (const url of [first, second]) {
      assert.equal((await callClaude(url)).status, 200);
      assert.equal(await limitsAt(url), undefined);
    }
    const databaseUrl = cluster.env['DATABASE_URL'] ?? '';
    const [row] = await runOn(
      databaseUrl,
      `select error_message, error_code, error_params, user_error_message, event_data
       from public.project_build_events where build_id = 'b1'`,
    );
    assert.equal(row?.['error_message'], error);
    assert.equal(row?.['error_code'], 'AI_LIMIT_REACHED');
    assert.deepEqual(row?.['error_params'], { resetTime: resetAt * 1000 });
    assert.match(String(row?.['user_error_message']), /usage limit/);
    assert.doesNotMatch(String(row?.['user_error_message']), /claude|\|/i);
    assert.deepEqual(row?.['event_data'], {});
  });

  test('a limit reported with the scope limits:report stops the calls of all gateways', async () => {
    const key = await newKey('events', 'limits:report');
    const posted = await ask(first, '/v1/builds/b2/events', key, { type: 'failed', error });
    assert.equal(posted.status, 201);
    while ((await limitsAt(second)) === undefined);
    assert.equal(valueAt(await limitsAt(second), 'kind'), 'reported');
    const asked = cluster.simulator.log().length;
    for (const url of [first, second, first, second]) {
      const refused = await callClaude(url);
      assert.equal(refused.status, 429);
      assert.equal(valueAt(refused.body, 'error', 'code'), 'AI_LIMIT_REACHED');
    }
    assert.equal(cluster.simulator.log().length, asked);
  });

  test('an event accepted by one gateway reaches a reader of the other, and a reader may switch gateways', async () => {
    const key = await newKey('events');
    const path = '/v1/builds/b3/events';
    const authorization = `Bearer ${key}`;
    const stream = await openEventStream(second + path, { authorization });
    await ask(first, path, key, { type: 'one' });
    const one = await stream.next();
    assert.equal(one?.data['type'], 'one');
    stream.leave();
    await ask(second, path, key, { type: 'two', finished: true });
    const again = await openEventStream(first + path, {
      authorization,
      'last-event-id': one?.id ?? '',
    });
    assert.deepEqual(
      (await again.rest()).map(({ data }) => data['type']),
      ['two'],
    );
  });

  test('a row that the product writes to the table reaches readers', async () => {
    const key = await newKey('events');
    const stream = await openEventStream(`${first}/v1/builds/b4/events`, {
      authorization: `Bearer ${key}`,
    });
    await runOn(
      cluster.env['DATABASE_URL'] ?? '',
      `insert into project_build_events (organization_id, build_id, event_type, event_data, finished, error_message)
       values ('default', 'b4', 'failed', '{"error": "Claude AI usage limit reached|1900000000"}', true,
         'Claude AI usage limit reached|1900000000')`,
    );
    const [event] = await stream.rest();
    assert.equal(valueAt(event?.data, 'error', 'code'), 'AI_LIMIT_REACHED');
    assert.doesNotMatch(JSON.stringify(event), /claude/i);
  });
});
