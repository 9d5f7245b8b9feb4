import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  desiredGateways,
  desiredWorkers,
  type GatewayLoad,
  type ScalingRules,
  type WorkerLoad,
} from './desired-replicas.ts';

const RULES: ScalingRules = {
  minGateways: 1,
  maxGateways: 10,
  minWorkers: 1,
  maxWorkers: 20,
  targetUtilization: 0.6,
  maxQueueWaitMs: 60_000,
};
const GATEWAYS: GatewayLoad = { replicas: 3, activeRequests: 0, slots: 300, isLimited: false };
const WORKERS: WorkerLoad = {
  provider: 'gemini',
  replicas: 2,
  running: 0,
  slots: 10,
  averageRunMs: 6000,
  queueDepth: 0,
  oldestWaitMs: 0,
  callsPerMinute: 10_000,
  blockedBy: undefined,
};

const gatewayLoads = fc
  .record({ replicas: fc.nat(15), activeRequests: fc.nat(3000), isLimited: fc.boolean() })
  .map((load): GatewayLoad => ({ ...load, slots: load.replicas * 100 }));

const workerLoads = fc
  .record({
    replicas: fc.nat(30),
    running: fc.nat(200),
    averageRunMs: fc.integer({ min: 1, max: 600_000 }),
    queueDepth: fc.nat(100_000),
    oldestWaitMs: fc.nat(600_000),
    callsPerMinute: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
    blockedBy: fc.constantFrom(undefined, 'provider_limit' as const, 'circuit' as const),
  })
  .map((load): WorkerLoad => ({ provider: 'gemini', ...load, slots: load.replicas * 5 }));

test('a provider limit or an open circuit never scales out', () => {
  fc.assert(
    fc.property(workerLoads, (load) => {
      const { current, desired } = desiredWorkers(load, RULES);
      if (load.blockedBy) assert.ok(desired <= Math.max(current, RULES.minWorkers));
    }),
  );
  fc.assert(
    fc.property(gatewayLoads, (load) => {
      const { current, desired } = desiredGateways(load, RULES);
      if (load.isLimited) assert.ok(desired <= Math.max(current, RULES.minGateways));
    }),
  );
});

test('workers beyond the provider’s calls per minute are never desired', () => {
  fc.assert(
    fc.property(workerLoads, (load) => {
      if (load.callsPerMinute === undefined || load.replicas === 0) return;
      const perWorker = (5 * 60_000) / load.averageRunMs;
      const useful = Math.ceil(load.callsPerMinute / perWorker);
      const { current, desired } = desiredWorkers(load, RULES);
      assert.ok(desired <= Math.max(current, useful, RULES.minWorkers));
    }),
  );
});

test('the desired replicas stay within their bounds, are whole, and have a reason', () => {
  fc.assert(
    fc.property(workerLoads, gatewayLoads, (workers, gateways) => {
      const worker = desiredWorkers(workers, RULES);
      const gateway = desiredGateways(gateways, RULES);
      assert.ok(worker.desired >= 1 && worker.desired <= 20 && Number.isInteger(worker.desired));
      assert.ok(gateway.desired >= 1 && gateway.desired <= 10 && Number.isInteger(gateway.desired));
      assert.ok(worker.reasons.length > 0 && gateway.reasons.length > 0);
    }),
  );
});

test('a constant load is stable: the desired number of replicas is desired again once it runs', () => {
  fc.assert(
    fc.property(gatewayLoads, (load) => {
      const first = desiredGateways({ ...load, isLimited: false }, RULES).desired;
      const next = { ...load, isLimited: false, replicas: first, slots: first * 100 };
      assert.equal(desiredGateways(next, RULES).desired, first);
    }),
  );
});

test('busy gateways scale out to the target utilisation, idle ones scale in', () => {
  const busy = desiredGateways({ ...GATEWAYS, activeRequests: 240 }, RULES);
  assert.deepEqual([busy.desired, busy.reasons], [4, ['utilization']]);
  const idle = desiredGateways(GATEWAYS, RULES);
  assert.deepEqual([idle.desired, idle.reasons], [1, ['idle', 'lower_bound']]);
  const steady = desiredGateways({ ...GATEWAYS, activeRequests: 150 }, RULES);
  assert.deepEqual([steady.desired, steady.reasons], [3, ['steady']]);
});

test('a deep queue requires enough workers to empty it in time', () => {
  // A worker runs 50 jobs a minute.
  const deep = desiredWorkers({ ...WORKERS, queueDepth: 400 }, RULES);
  assert.deepEqual([deep.desired, deep.reasons], [8, ['queue_depth']]);
  const bounded = desiredWorkers({ ...WORKERS, queueDepth: 4000 }, RULES);
  assert.deepEqual([bounded.desired, bounded.reasons], [20, ['queue_depth', 'upper_bound']]);
  const limited = desiredWorkers({ ...WORKERS, queueDepth: 4000, callsPerMinute: 120 }, RULES);
  assert.deepEqual([limited.desired, limited.reasons], [3, ['queue_depth']]);
  const blocked = desiredWorkers(
    { ...WORKERS, queueDepth: 400, blockedBy: 'provider_limit' },
    RULES,
  );
  assert.deepEqual([blocked.desired, blocked.reasons], [2, ['queue_depth', 'provider_limit']]);
});

test('a job that waits too long requires one more worker although the queue is short', () => {
  const late = desiredWorkers({ ...WORKERS, queueDepth: 3, oldestWaitMs: 90_000 }, RULES);
  assert.deepEqual([late.desired, late.reasons], [3, ['queue_wait']]);
});

test('workers with runs in progress are not removed', () => {
  assert.equal(desiredWorkers({ ...WORKERS, running: 10 }, RULES).desired, 2);
  assert.equal(desiredWorkers({ ...WORKERS, running: 0 }, RULES).desired, 1);
});
