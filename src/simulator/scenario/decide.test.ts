import assert from 'node:assert/strict';
import test from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { hashCredential } from '../truth/digest.ts';
import { Decider } from './decide.ts';
import type { RequestScope } from './rule.ts';

const ASKED: RequestScope = {
  provider: 'anthropic',
  operation: 'messages',
  model: 'claude-x',
  credentialHash: hashCredential('key-1'),
};

function faults(
  decider: Decider,
  count: number,
  scope: Partial<RequestScope> = {},
): readonly string[] {
  return Array.from({ length: count }, () => {
    const { scenario } = decider.decide({ ...ASKED, ...scope }, undefined);
    return scenario.fault ?? 'none';
  });
}

test('without a scenario every request is healthy', () => {
  const decider = new Decider(createTestClock());
  assert.deepEqual(faults(decider, 2), ['none', 'none']);
});

test('the most specific scenario answers and leaves the others in place', () => {
  const decider = new Decider(createTestClock());
  decider.set({ fault: 'timeout' });
  decider.set({ provider: 'anthropic', fault: 'overloaded' });
  decider.set({ model: 'claude-y', fault: 'too-large' });
  decider.set({ key: 'key-2', fault: 'forbidden' });
  assert.deepEqual(faults(decider, 1), ['overloaded']);
  assert.deepEqual(faults(decider, 1, { provider: 'openai' }), ['timeout']);
  assert.deepEqual(faults(decider, 1, { model: 'claude-y' }), ['too-large']);
  assert.deepEqual(faults(decider, 1, { credentialHash: hashCredential('key-2') }), ['forbidden']);
});

test('a scenario replaces its predecessor with the same scope, a list replaces all', () => {
  const decider = new Decider(createTestClock());
  decider.set({ provider: 'anthropic', fault: 'overloaded' });
  decider.set({ provider: 'anthropic', fault: 'timeout' });
  decider.set({ fault: 'forbidden' });
  assert.equal(decider.list().length, 2);
  assert.deepEqual(faults(decider, 1), ['timeout']);
  decider.set([{ fault: 'hang' }]);
  assert.deepEqual(faults(decider, 1), ['hang']);
  decider.reset();
  assert.deepEqual(faults(decider, 1), ['none']);
});

test('an invalid scenario in a list leaves the active scenarios unchanged', () => {
  const decider = new Decider(createTestClock());
  decider.set({ fault: 'timeout' });
  assert.throws(() => decider.set([{ fault: 'hang' }, { fault: 'gremlins' }]));
  assert.deepEqual(faults(decider, 1), ['timeout']);
});

test('an exhausted scenario gives way to the next match', () => {
  const decider = new Decider(createTestClock());
  decider.set({ fault: 'timeout', times: 1 });
  decider.set({ provider: 'anthropic', fault: 'overloaded', times: 2 });
  assert.deepEqual(faults(decider, 4), ['overloaded', 'overloaded', 'timeout', 'none']);
});

test('a sequence plays its steps in order, each for its own times, over common fields', () => {
  const decider = new Decider(createTestClock());
  decider.set({
    latencyMs: 7,
    sequence: [{ preset: 'overloaded', times: 2 }, { preset: 'rate-limit' }, {}],
  });
  const { scenario } = decider.decide(ASKED, undefined);
  assert.equal(scenario.latencyMs, 7);
  assert.deepEqual(faults(decider, 4), ['overloaded', 'rate-limit', 'none', 'none']);
});

test('a repeated sequence starts again', () => {
  const decider = new Decider(createTestClock());
  decider.set({ sequence: [{ fault: 'timeout' }, { fault: 'none' }], repeat: true });
  assert.deepEqual(faults(decider, 5), ['timeout', 'none', 'timeout', 'none', 'timeout']);
});

test('probabilities and error rates follow the seed', () => {
  const scenario = { seed: 7, errorRates: { '529': 0.2, '500': 0.1 } };
  const runs = [1, 2].map(() => {
    const decider = new Decider(createTestClock());
    decider.set(scenario);
    return faults(decider, 2_000);
  });
  assert.deepEqual(runs[0], runs[1]);
  const share = (fault: string) => (runs[0] ?? []).filter((one) => one === fault).length / 2_000;
  assert.ok(Math.abs(share('overloaded') - 0.2) < 0.03);
  assert.ok(Math.abs(share('server-error') - 0.1) < 0.03);
});

test('without a seed randomness comes from the clock', () => {
  const decider = new Decider(createTestClock(0, () => 0.5));
  decider.set({ fault: 'timeout', probability: 0.4 });
  assert.deepEqual(faults(decider, 1), ['none']);
  decider.set({ fault: 'timeout', probability: 0.6 });
  assert.deepEqual(faults(decider, 1), ['timeout']);
});

test('a fault with a reset ends exactly at the reset', async () => {
  const clock = createTestClock(1_000_000);
  const decider = new Decider(clock);
  decider.set({ preset: 'usage-limit', resetInSeconds: 60 });
  await clock.advance(59_999);
  assert.deepEqual(faults(decider, 1), ['usage-limit']);
  await clock.advance(1);
  assert.deepEqual(faults(decider, 1), ['none']);
});

test('a reset falls on a whole second, the resolution of the wire formats', () => {
  const decider = new Decider(createTestClock(1_000_001));
  decider.set({ preset: 'usage-limit', resetInSeconds: 60 });
  assert.equal(decider.decide(ASKED, undefined).scenario.resetAt, 1_061_000);
});

test('a scenario header takes precedence and consumes no configured scenario', () => {
  const decider = new Decider(createTestClock());
  decider.set({ fault: 'timeout', times: 1 });
  assert.equal(decider.decide(ASKED, 'overloaded').scenario.fault, 'overloaded');
  assert.deepEqual(faults(decider, 2), ['timeout', 'none']);
});

test('a limit is kept per provider and key', () => {
  const decider = new Decider(createTestClock());
  decider.set({ rateLimit: { requestsPerMinute: 1 } });
  const windowOf = (scope: Partial<RequestScope>) =>
    decider.decide({ ...ASKED, ...scope }, undefined).window;
  assert.equal(windowOf({}), windowOf({ model: 'other' }));
  assert.notEqual(windowOf({}), windowOf({ provider: 'openai' }));
  assert.notEqual(windowOf({}), windowOf({ credentialHash: 'other' }));
});

test('active scenarios are listed without secrets', () => {
  const decider = new Decider(createTestClock());
  decider.set({ preset: 'leaky', secret: 'canary-1' });
  assert.ok(!JSON.stringify(decider.list()).includes('canary-1'));
});
