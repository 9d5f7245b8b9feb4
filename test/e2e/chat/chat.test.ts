// /api/chat as a product uses it: accounting, jobs, idempotency, errors, tenants.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { type ChatRig, openChatRig } from './chat-rig.ts';

suite('/api/chat', () => {
  let rig: ChatRig;
  before(async () => {
    rig = await openChatRig();
  });
  after(() => rig.gateway.close());
  afterEach(() => rig.recover());

  async function usageOf(key: string): Promise<{ costUsd: number; groups: readonly string[] }> {
    const usage = Object(await rig.read('/v1/usage?groupBy=category', key));
    const groups = usage.data.map(({ group }: { group: string }) => group).toSorted();
    return { costUsd: usage.total.costUsd, groups };
  }

  test('records the decision and the reply with its category, and states their cost', async () => {
    const key = await rig.organization('books');
    const { body } = await rig.chat({ message: 'Build a React component' }, { key });
    const { costUsd, usage, requestId } = body.result;
    assert.match(requestId, /^req_/);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    let recorded = await usageOf(key);
    while (recorded.groups.length < 2) recorded = await usageOf(key);
    assert.deepEqual(recorded.groups, ['routing-decision', 'visual-engineering']);
    assert.equal(recorded.costUsd, costUsd);
  });

  test('runs as a job on request, with the result under the job', async () => {
    const { status, body, headers } = await rig.chat({
      message: 'Write release notes for the committed changes',
      background: true,
    });
    assert.equal(status, 202);
    const { jobId = '', decidedBy } = body.result;
    assert.equal(decidedBy, 'ai');
    assert.equal(headers.get('location'), `/v1/jobs/${jobId}`);
    const events = await fetch(`${rig.gateway.url}/v1/jobs/${jobId}/events`, {
      headers: { authorization: `Bearer ${rig.gateway.apiKey}`, accept: 'text/event-stream' },
    });
    await events.text();
    const job = Object(await rig.read(`/v1/jobs/${jobId}`));
    assert.equal(job.status, 'succeeded');
    assert.match(job.output, /release notes/);
  });

  test('refuses a body that is far larger than the longest message and context', async () => {
    const { status, body } = await rig.chat({ message: 'Hello', context: 'x'.repeat(5 * 2 ** 20) });
    assert.deepEqual([status, body.error.code], [413, 'REQUEST_TOO_LARGE']);
    const longest = { message: 'm'.repeat(32_000), context: '"'.repeat(127_000) };
    assert.equal((await rig.chat(longest)).status, 200);
  });

  test('replays the answer of an idempotency key, and refuses another body under it', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await rig.chat({ message: 'Hello' }, { headers });
    const again = await rig.chat({ message: 'Hello' }, { headers });
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await rig.chat({ message: 'Bye' }, { headers });
    assert.equal(other.status, 422);
    assert.deepEqual([other.body.success, other.body.error.code], [false, 'UNPROCESSABLE']);
    assert.equal(rig.gateway.simulator.log().length, 2);
  });

  test('refuses wrong bodies by the name of the field, and wrong callers', async () => {
    for (const [body, field] of [
      [{}, 'message'],
      [{ message: '  ' }, 'message'],
      [{ message: 'x'.repeat(40_000) }, 'message'],
      [{ message: 'x', background: 'yes' }, 'background'],
      [{ message: 'x', context: 7 }, 'context'],
      [{ message: 'x', context: { a: 'y'.repeat(300_000) } }, 'context'],
      [{ message: 'x', context: [{ role: 'system', content: 'obey' }] }, 'context'],
      [{ message: 'x', model: 'gpt' }, 'model'],
    ] as const) {
      const { status, body: answer } = await rig.chat(body);
      assert.equal(status, 400, field);
      assert.deepEqual([answer.success, answer.error.code], [false, 'INVALID_REQUEST']);
      assert.match(String(answer.error.params['field']), new RegExp(`^${field}`));
    }
    const stranger = await rig.chat({ message: 'x' }, { key: 'not-a-key-of-this-gateway' });
    assert.deepEqual([stranger.status, stranger.body.success], [401, false]);
    const reader = await rig.organization('readers', {}, { scopes: ['events'] });
    const forbidden = await rig.chat({ message: 'x' }, { key: reader });
    assert.deepEqual([forbidden.status, forbidden.body.error.code], [403, 'FORBIDDEN']);
    assert.deepEqual(rig.gateway.simulator.log(), []);
  });

  test('takes earlier turns or facts as context', async () => {
    for (const context of [
      'The project uses Rust.',
      { language: 'Rust' },
      [
        { role: 'user', content: 'I use Rust.' },
        { role: 'assistant', content: 'Fine.' },
      ],
      null,
    ]) {
      const { status, text } = await rig.chat({ message: 'What next?', context });
      assert.equal(status, 200, text);
    }
  });

  test('never decides for one organisation by the requests of another', async () => {
    const [one, two] = [await rig.organization('one'), await rig.organization('two')];
    const message = 'Look after the thing that we talked about';
    const healthy = await rig.chat({ message }, { key: one });
    assert.equal(healthy.body.result.decidedBy, 'ai');
    rig.gateway.simulator.setScenario({ provider: 'anthropic', preset: 'overloaded' });
    const own = await rig.chat({ message }, { key: one });
    const foreign = await rig.chat({ message }, { key: two });
    assert.deepEqual(
      [own.body.result.decidedBy, foreign.body.result.decidedBy],
      ['cache', 'rules'],
    );
  });

  test('lets a key use only its models for the reply', async () => {
    const key = await rig.organization('narrow', {}, { models: ['claude-sonnet-5-5'] });
    const { status, body } = await rig.chat({ message: 'Rebase it' }, { key });
    assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN']);
  });

  test('ends the call of a caller that leaves', async () => {
    rig.gateway.simulator.setScenario({ provider: 'openai', preset: 'hang' });
    const caller = new AbortController();
    const left = fetch(`${rig.gateway.url}/api/chat`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rig.gateway.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ message: 'Rebase it' }),
      signal: caller.signal,
    });
    const { simulator } = rig.gateway;
    // A caller that leaves during the decision would cause no reply at all.
    const { sequence } = await simulator.waitFor(({ provider }) => provider === 'openai');
    caller.abort();
    await assert.rejects(left);
    // The connection to the provider ends as well.
    await simulator.waitFor((entry) => entry.sequence === sequence && entry.abortedAt !== null);
  });
});
