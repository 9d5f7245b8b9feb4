// The composition: settings reach the adapters, and transitions reach log and metrics.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { loadConfig } from '../../config/load-config.ts';
import { renderPrometheus } from '../../http/prometheus.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import type { LogEntry } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { BREAKER_DEFAULTS } from '../../resilience/circuit-breaker.ts';
import { RETRY_BUDGET_DEFAULTS } from '../../resilience/retry-budget.ts';
import { RETRY_DEFAULTS } from '../../resilience/retry-policy.ts';
import { configuredCircuits, openResilience } from './open-resilience.ts';

const ENV = { OPENAI_API_KEY: 'sk-openai-1234567890', ANTHROPIC_API_KEY: 'sk-ant-1234567890' };
const config = loadConfig({ env: ENV, cwd: import.meta.dirname });
const CIRCUIT = { provider: 'openai', region: 'us-east' };
const PASS = { key: CIRCUIT, probe: undefined };
const SCOPE = { ...CIRCUIT, account: 'default', model: 'gpt-5' };

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function open(options: { readonly isShared: boolean }) {
  const entries: LogEntry[] = [];
  const log = { write: (entry: LogEntry) => void entries.push(entry), flush: async () => {} };
  const lifecycle = createLifecycle();
  const metrics = createMetrics();
  const redis = options.isShared ? rig.open() : undefined;
  await redis?.ready(5000);
  const clock = redis ? systemClock : createTestClock();
  const resilience = await openResilience(config, { redis, clock, log, metrics, lifecycle });
  return { ...resilience, entries, metrics, close: () => lifecycle.close() };
}

test('the configuration has the defaults of the rules', () => {
  const { retry, breaker } = config;
  const { budgetPerRequest, budgetPerSecond, budgetCapacity, refusedCredentialMs, ...rules } =
    retry;
  assert.equal(refusedCredentialMs, 60_000);
  assert.deepEqual({ ...rules }, { ...RETRY_DEFAULTS });
  assert.deepEqual({ ...breaker }, { ...BREAKER_DEFAULTS });
  assert.deepEqual(
    { perRequest: budgetPerRequest, perSecond: budgetPerSecond, capacity: budgetCapacity },
    { ...RETRY_BUDGET_DEFAULTS },
  );
});

test('each provider that has a key has a circuit in each of its regions', () => {
  assert.deepEqual(configuredCircuits(config), [
    { provider: 'anthropic', region: 'us-east' },
    { provider: 'openai', region: 'us-east' },
  ]);
});

for (const isShared of [false, true]) {
  test(`each transition is logged and counted${isShared ? ' by the server that decided it' : ''}`, async () => {
    const server = await open({ isShared });
    const other = isShared ? await open({ isShared }) : undefined;
    for (let call = 0; call < 5; call += 1) server.breakers.report(PASS, 'failure');
    await until(() => !server.breakers.isClosed(CIRCUIT));
    if (other) await until(() => !other.breakers.isClosed(CIRCUIT));
    await server.breakers.reset(CIRCUIT);
    const logged = server.entries.map(({ type, metadata }) => [type, metadata?.['to']]);
    assert.deepEqual(logged, [
      ['capacity', 'open'],
      ['capacity', 'closed'],
    ]);
    const text = renderPrometheus(server.metrics);
    const labels = '{provider="openai",region="us-east"';
    assert.ok(text.includes(`ai_circuit_breaker_transitions_total${labels},to="open"} 1\n`));
    assert.ok(text.includes(`ai_circuit_breaker_open${labels}} 0\n`));
    assert.deepEqual(other?.entries ?? [], []);
    await server.close();
    await other?.close();
  });

  test(`retry budget and headroom work ${isShared ? 'on Redis' : 'in the process'}`, async () => {
    const server = await open({ isShared });
    const granted = new Promise((resolve) => server.retryBudget.take('openai', 'an-org', resolve));
    assert.equal(await granted, true);
    server.headroom.learn(SCOPE, {
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '99',
    });
    assert.equal(server.headroom.headroomOf(CIRCUIT)[0]?.remainingRatio, 0.99);
    await server.close();
  });
}
