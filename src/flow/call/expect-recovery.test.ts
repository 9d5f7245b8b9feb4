// Limits together with circuits, in one process: after any limit one probe goes first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { UNREADABLE_ANSWER } from '../../errors/mapping/lesson/lesson.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { BreakerAnswer } from '../../resilience/breaker-board.ts';
import { BREAKER_DEFAULTS } from '../../resilience/circuit-breaker.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';
import { closedPass, reportHealth, requestPass } from './breaker-pass.ts';
import { expectRecovery, MAX_MODEL_LIMITS } from './expect-recovery.ts';
import { learnLimit } from './provider-limit.ts';

const OPUS: Target = {
  provider: 'anthropic',
  account: 'default',
  model: 'claude-opus-5',
  region: 'us-east',
  format: 'anthropic',
  origin: 'http://localhost',
  basePath: '',
  apiKey: 'key',
};
const SONNET: Target = { ...OPUS, model: 'claude-sonnet-5-5' };
const SCOPE: CircuitKey = { provider: 'anthropic', region: 'us-east' };
const SECOND_MS = 1000;

function openRig() {
  const clock = createTestClock();
  let probes = 0;
  const breakers = createMemoryBreakerBoard({
    rules: BREAKER_DEFAULTS,
    clock,
    newProbeId: () => `probe-${(probes += 1)}`,
    longestCallMs: 600_000,
    onTransition: () => {},
  });
  const known = createMemoryProviderLimits(clock);
  const limits = expectRecovery(known, breakers);
  const learn = (target: Target, options: { isModelBound?: boolean; resetInMs?: number } = {}) => {
    const { isModelBound = false, resetInMs = 9 * SECOND_MS } = options;
    const resetAt = clock.now() + resetInMs;
    const code = 'AI_LIMIT_REACHED';
    const lesson = { ...UNREADABLE_ANSWER, code, resetAt, isModelBound } as const;
    const error = new SpillwayError(code, 'limited', { lesson });
    learnLimit(
      limits,
      target,
      error,
      { serverId: 'srv-1', requestId: 'req_1', isCountedApart: false, takesTheRest: () => false },
      clock.now(),
    );
  };
  return { clock, breakers, known, limits, learn };
}

type Rig = ReturnType<typeof openRig>;

function ask({ breakers }: Rig, target: Target): BreakerAnswer {
  const pass = closedPass(breakers, target, 'org_1');
  if (pass) return { isAllowed: true, pass };
  const answers: BreakerAnswer[] = [];
  const isEnded = () => false;
  requestPass(breakers, target, 'org_1', isEnded, (answer) => void answers.push(answer));
  assert.ok(answers[0]);
  return answers[0];
}

function limitOf(rig: Rig, fields: Partial<ProviderLimit> = {}): ProviderLimit {
  const setAt = rig.clock.now();
  return {
    ...SCOPE,
    setBy: 'srv-2',
    setAt,
    resetAt: setAt + 10 * SECOND_MS,
    kind: 'learnt',
    ...fields,
  };
}

test('one call goes first after a limit that a call met, and all calls after its success', async () => {
  const rig = openRig();
  rig.learn(OPUS);
  assert.ok(rig.limits.active(SONNET));
  await rig.clock.advance(10 * SECOND_MS);
  assert.equal(rig.limits.active(SONNET), undefined);
  const first = ask(rig, SONNET);
  assert.ok(first.isAllowed && first.pass.probe !== undefined);
  const second = ask(rig, OPUS);
  assert.ok(!second.isAllowed && second.cause === 'limit');
  reportHealth(rig.breakers, { target: SONNET, pass: first.pass }, 'org_1', 'success');
  assert.ok(ask(rig, OPUS).isAllowed && ask(rig, SONNET).isAllowed);
});

test('a limit of one model does not affect other models, and a probe of that model goes first', async () => {
  const rig = openRig();
  rig.learn(OPUS, { isModelBound: true });
  assert.equal(rig.limits.active(OPUS)?.model, OPUS.model);
  assert.equal(rig.limits.active(SONNET), undefined);
  assert.ok(ask(rig, SONNET).isAllowed);
  await rig.clock.advance(10 * SECOND_MS);
  const first = ask(rig, OPUS);
  assert.ok(first.isAllowed && first.pass.probe !== undefined);
  assert.ok(!ask(rig, OPUS).isAllowed && ask(rig, SONNET).isAllowed);
  reportHealth(rig.breakers, { target: OPUS, pass: first.pass }, 'org_1', 'success');
  assert.ok(ask(rig, OPUS).isAllowed);
  const views = await rig.breakers.list();
  assert.deepEqual(
    views.map(({ key, callsInWindow }) => [key, callsInWindow]),
    [[SCOPE, 1]],
  );
});

test('a limit that another system wrote opens the circuit when a call reads it', async () => {
  const rig = openRig();
  await rig.known.set(limitOf(rig));
  assert.ok(rig.limits.active(OPUS));
  assert.equal(rig.breakers.openCause(SCOPE), 'limit');
});

test('clearing a limit closes its circuit', async () => {
  const rig = openRig();
  await rig.limits.set(limitOf(rig, { kind: 'manual' }));
  await rig.limits.set(limitOf(rig, { kind: 'manual', model: OPUS.model }));
  await rig.limits.clear(SCOPE);
  assert.ok(ask(rig, SONNET).isAllowed);
  assert.ok(!ask(rig, OPUS).isAllowed);
  await rig.limits.clear({ ...SCOPE, model: OPUS.model });
  assert.ok(ask(rig, OPUS).isAllowed);
});

test('a throttle opens no circuit', async () => {
  const rig = openRig();
  await rig.limits.set(limitOf(rig, { kind: 'throttled', model: OPUS.model }));
  assert.ok(rig.limits.active(OPUS));
  assert.equal(rig.breakers.openCause(OPUS), undefined);
});

test('the limits of single models are bounded, and a limit of the whole account is still learnt', async () => {
  const rig = openRig();
  for (let number = 0; number <= MAX_MODEL_LIMITS; number += 1)
    rig.learn({ ...OPUS, model: `model-${number}` }, { isModelBound: true });
  await rig.clock.advance(0);
  assert.equal((await rig.limits.list()).length, MAX_MODEL_LIMITS);
  await rig.clock.advance(10 * SECOND_MS);
  rig.learn({ ...OPUS, model: 'later' }, { isModelBound: true });
  rig.learn(OPUS);
  await rig.clock.advance(0);
  assert.equal((await rig.limits.list()).length, 2);
});
