import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { detailedHealth } from '../../http/schemas/cluster.ts';
import { createReadiness } from '../readiness.ts';
import { createHealthCheck, type Dependency } from './health-check.ts';

const FIGURES = {
  memoryRSS: 1,
  memoryHeapUsed: 1,
  uptime: 1,
  eventLoopDelayMs: { mean: 0, max: 0 },
};

function openCheck(dependencies: readonly Dependency[], limits: readonly ProviderLimit[] = []) {
  const clock = createTestClock();
  const check = createHealthCheck({
    serverId: 'a',
    facts: {
      health: async () => 'healthy',
      limits: async () => limits,
      capacity: async () => [],
      record: () => Promise.reject(new Error('not read')),
    },
    readiness: createReadiness({
      meter: { isReady: () => true },
      store: { lockState: () => 'locked' },
      engines: [],
    }),
    mode: () => 'active',
    process: { read: () => FIGURES, close() {} },
    activeRequests: () => 3,
    queueDepth: async () => 9,
    dependencies,
    clock,
  });
  return { clock, check: async () => detailedHealth.parse(await check()) };
}

test('a dependency that fails or does not answer in time is down, and degrades the server', async () => {
  const { clock, check } = openCheck([
    { name: 'store', ask: async () => undefined },
    { name: 'redis', ask: () => Promise.reject(new Error('refused')) },
    { name: 'broker', ask: () => new Promise(() => {}) },
  ]);
  const checked = check();
  await clock.advance(0);
  await clock.advance(2000);
  const { status, dependencies, workload } = await checked;
  assert.equal(status, 'degraded');
  assert.deepEqual(
    dependencies.map(({ name, status: state }) => [name, state]),
    [
      ['store', 'up'],
      ['redis', 'down'],
      ['broker', 'down'],
    ],
  );
  assert.deepEqual(workload, { activeBuilds: 3, queueDepth: 9 });
  assert.equal(clock.pendingTimers(), 0);
});

test('the limit of a whole account that ends first is shown', async () => {
  const { clock } = openCheck([]);
  const limit = (provider: string, inMs: number, own: Partial<ProviderLimit> = {}) => ({
    provider,
    region: 'us-east',
    resetAt: clock.now() + inMs,
    setBy: 'a',
    setAt: 0,
    kind: 'learnt' as const,
    ...own,
  });
  const { check } = openCheck(
    [],
    [
      limit('openai', 9000),
      limit('anthropic', 5000),
      limit('gemini', 1000, { model: 'one' }),
      limit('gemini', 1000, { kind: 'throttled' }),
    ],
  );
  assert.deepEqual((await check()).aiUsageLimit, {
    isActive: true,
    resetTime: clock.now() + 5000,
    timeUntilReset: 5000,
    provider: 'anthropic',
  });
});
