// The log lines that operators filter by: users of refused requests, runs, bursts, reported limits, the provider's
// error type, slow requests, and previews of prompts where an organisation allows them.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { administer, ask, CLAUDE } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

type Entry = {
  readonly type: string;
  readonly level: string;
  readonly message: string;
  readonly serverId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

suite('log lines', { timeout: 60_000 }, () => {
  let gateway: TestGateway;

  before(async () => {
    gateway = await startTestGateway({ LOG_SLOW_REQUEST_MS: '1', DISPATCHER_ID: 'dispatcher-9' });
  });
  after(() => gateway.close());

  async function entries(query: string): Promise<readonly Entry[]> {
    const { data } = await administer(gateway, 'GET', `/admin/logs?limit=1000&${query}`);
    return data as readonly Entry[];
  }

  /** Resolves with the first entry that satisfies the claim. */
  async function untilEntry(query: string, claim: (entry: Entry) => boolean): Promise<Entry> {
    for (;;) {
      const found = (await entries(query)).find(claim);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  test('a refused request and a failed call name the user', async () => {
    const headers = { 'x-user-id': 'user-17' };
    const refused = await ask(gateway, { model: 'unknown-model', headers });
    gateway.simulator.setScenario({ preset: 'overloaded', times: 1 });
    const failed = await ask(gateway, { headers });
    for (const answer of [refused, failed]) {
      const id = answer.headers.get('x-request-id') ?? '';
      const [entry] = await entries(`requestId=${id}&type=request`);
      assert.equal(entry?.metadata?.['userId'], 'user-17');
    }
    const id = failed.headers.get('x-request-id') ?? '';
    const [entry] = await entries(`requestId=${id}&type=request`);
    assert.equal(entry?.metadata?.['providerErrorType'], 'overloaded_error');
  });

  test('a prompt is previewed only while its organisation allows it', async () => {
    const body = (content: string) => ({
      model: CLAUDE,
      max_tokens: 20,
      messages: [{ role: 'user', content }],
    });
    const preview = async (content: string) => {
      const answer = await ask(gateway, { body: body(content) });
      const [entry] = await entries(`requestId=${answer.headers.get('x-request-id')}&type=request`);
      return entry?.metadata?.['promptPreview'];
    };
    assert.equal(await preview('before'), undefined);
    await administer(gateway, 'PATCH', '/admin/orgs/default', { allowPromptPreview: true });
    assert.equal(await preview(`allowed ${'x'.repeat(200)}`), `allowed ${'x'.repeat(92)}`);
    await administer(gateway, 'PATCH', '/admin/orgs/default', { allowPromptPreview: false });
    assert.equal(await preview('after'), undefined);
  });

  test('a job has a line for its dispatch and a line for its run', async () => {
    gateway.simulator.setScenario({ preset: 'credentials-refused' });
    const headers = { 'x-user-id': 'user-18' };
    const receipt = await ask(gateway, {
      path: '/v1/jobs',
      body: { model: CLAUDE, prompt: 'Hello' },
      headers,
    });
    const { id } = JSON.parse(receipt.text) as { id: string };
    const run = await untilEntry('type=request', ({ metadata }) => metadata?.['jobId'] === id);
    gateway.simulator.resetScenario();
    assert.equal(run.metadata?.['userId'], 'user-18');
    assert.ok(run.metadata?.['code']);
    const burst = await untilEntry(
      'type=capacity&text=dispatched',
      ({ metadata }) => metadata?.['event'] === 'dispatch',
    );
    assert.equal(burst.metadata?.['dispatcherId'], 'dispatcher-9');
    assert.equal(burst.metadata?.['provider'], 'anthropic');
  });

  test('a reported limit has the fields of a limit that was met', async () => {
    const resetAt = Math.floor(Date.now() / 1000) + 600;
    const error = `Claude AI usage limit reached|${resetAt}`;
    const answer = await ask(gateway, { path: '/v1/builds/b1/events', body: { type: 'x', error } });
    assert.equal(answer.status, 201, answer.text);
    const [entry] = await entries('type=ai_limit');
    const { metadata = {} } = entry ?? {};
    assert.equal(metadata['resetTime'], resetAt * 1000);
    assert.equal(metadata['resetTimeISO'], new Date(resetAt * 1000).toISOString());
    assert.ok(Number(metadata['timeUntilReset']) > 0);
    assert.equal(metadata['hasErrorDetails'], true);
    await administer(gateway, 'DELETE', '/admin/limits/anthropic').catch(() => {});
  });

  test('a slow request has a performance line, and entries name their server', async () => {
    const [entry] = await entries('type=performance&text=took');
    assert.ok(Number(entry?.metadata?.['latencyMs']) >= 1);
    assert.ok(entry?.serverId);
    assert.equal((await entries(`server=${entry.serverId}&type=performance`)).length > 0, true);
    assert.deepEqual(await entries('server=another'), []);
  });
});
