// /api/chat while models cannot serve: the source of the decision, and the reply, the stale answer, the job or the error.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { type ChatRig, DECIDER, openChatRig, REPLIER } from './chat-rig.ts';

suite('a chat request', () => {
  let rig: ChatRig;
  before(async () => {
    rig = await openChatRig();
  });
  after(() => rig.gateway.close());
  afterEach(() => rig.recover());

  function calls(): readonly string[] {
    return rig.gateway.simulator.log().map(({ model }) => String(model));
  }

  test('is decided by the model and answered while both serve', async () => {
    const { status, body } = await rig.chat({ message: 'Rebase my branch' });
    assert.equal(status, 200);
    const { category, skills, decidedBy, reply } = body.result;
    assert.deepEqual([category, skills, decidedBy], ['quick', ['git-master'], 'ai']);
    assert.match(reply ?? '', /Rebase my branch/);
    assert.deepEqual(calls(), [DECIDER, REPLIER]);
  });

  for (const preset of ['usage-limit', 'rate-limit', 'overloaded', 'hang', 'credentials-refused'])
    test(`is decided by the cache, or by the rules, when the deciding model is ${preset}`, async () => {
      const known = `Tidy the ${preset} paragraph of my letter and the rest of it`;
      const healthy = await rig.chat({ message: known });
      assert.equal(healthy.body.result.decidedBy, 'ai');
      rig.gateway.simulator.setScenario({ provider: 'anthropic', preset });
      const cached = await rig.chat({ message: `${known.toUpperCase()}!` });
      assert.equal(cached.status, 200, cached.text);
      assert.equal(cached.body.result.decidedBy, 'cache');
      const ruled = await rig.chat({ message: `Fix the merge conflict, ${preset}` });
      const { decidedBy, skills, reply } = ruled.body.result;
      assert.deepEqual([decidedBy, skills], ['rules', ['git-master']]);
      assert.ok(reply);
    });

  for (const text of [
    'I would rather write a poem',
    '{"category":"root","skills":[]}',
    '{"category":"quick","skills":["rm -rf"]}',
    '{"category":',
    '[]',
  ])
    test(`is decided by the rules when the model answers ${text}`, async () => {
      rig.gateway.simulator.setScenario({ model: DECIDER, text });
      const { body } = await rig.chat({ message: `Take a screenshot of ${text}` });
      const { category, skills, decidedBy } = body.result;
      assert.deepEqual([category, skills, decidedBy], ['quick', ['playwright'], 'rules']);
    });

  test('is refused without any call when the budget is used up', async () => {
    const key = await rig.organization('poor', { monthlyBudgetUsd: 0 });
    const { status, body } = await rig.chat({ message: 'Hello' }, { key });
    assert.equal(status, 402);
    assert.deepEqual([body.success, body.error.code], [false, 'BUDGET_EXCEEDED']);
    assert.deepEqual(calls(), []);
  });

  test('counts as one request of the organisation, and is refused over its limit', async () => {
    const key = await rig.organization('slow', { requestsPerMinute: 2 });
    for (let index = 0; index < 2; index += 1)
      assert.equal((await rig.chat({ message: 'Hello' }, { key })).status, 200);
    const { status, body, headers } = await rig.chat({ message: 'Hello' }, { key });
    assert.equal(status, 429);
    assert.deepEqual([body.success, body.error.code], [false, 'RATE_LIMITED']);
    assert.equal(body.error.params['scope'], 'organization');
    assert.ok(Number(headers.get('retry-after-ms')) > 0);
    assert.equal(calls().length, 4);
  });

  test('is answered by the fallback when the model of its category is limited', async () => {
    rig.gateway.simulator.setScenario({ provider: 'openai', preset: 'usage-limit' });
    const { body } = await rig.chat({ message: 'What is the capital of France?' });
    assert.equal(body.result.decidedBy, 'ai');
    assert.ok(body.result.reply);
    assert.deepEqual(calls(), [DECIDER, REPLIER, 'gemini-2.5-flash']);
  });

  test('is answered stale where allowed, then queued where consented, else refused', async () => {
    const key = await rig.organization('calm', { allowStale: true });
    const ask = { message: 'Rebase my branch on main' };
    const stale = { 'x-spillway-degrade': 'stale' };
    const consent = { prefer: 'respond-async' };
    const fresh = await rig.chat(ask, { key, headers: stale });
    assert.equal(fresh.headers.get('x-spillway-degraded'), null);
    rig.gateway.simulator.setScenario({ provider: 'openai', preset: 'usage-limit' });
    const old = await rig.chat(ask, { key, headers: { ...stale, ...consent } });
    assert.match(old.headers.get('x-spillway-degraded') ?? '', /^stale; age=/);
    assert.equal(old.body.result.reply, fresh.body.result.reply);
    const queued = await rig.chat(ask, { key, headers: consent });
    assert.equal(queued.status, 202);
    assert.match(queued.body.result.jobId ?? '', /^job_/);
    assert.equal(queued.body.result.reply, undefined);
    const refused = await rig.chat(ask, { key });
    assert.equal(refused.status, 429);
    assert.deepEqual([refused.body.success, refused.body.error.code], [false, 'AI_LIMIT_REACHED']);
    assert.ok(refused.headers.get('x-rate-limit-reset'));
    assert.doesNotMatch(refused.text, /openai|gpt|claude|anthropic/i);
  });

  test('fails with NETWORK_TIMEOUT when the replying model hangs beyond the caller’s deadline', async () => {
    rig.gateway.simulator.setScenario({ provider: 'openai', preset: 'hang' });
    const headers = { 'x-request-deadline-ms': '700' };
    const { status, body } = await rig.chat({ message: 'Rebase it' }, { headers });
    assert.equal(status, 504);
    assert.deepEqual([body.success, body.error.code], [false, 'NETWORK_TIMEOUT']);
  });

  test('does not wait for a deciding model that hangs longer than its time', async () => {
    rig.gateway.simulator.setScenario({ provider: 'anthropic', preset: 'hang' });
    const { body } = await rig.chat({ message: 'Open a pull request for the fix' });
    assert.equal(body.result.decidedBy, 'rules');
    assert.ok(body.result.reply);
  });
});
