// Five thousand callers disconnect in the middle of their streams: each provider call ends, its usage is
// metered, and no slot, permit, reservation or memory leaks. Every bound is so small here that a partial leak
// would refuse later callers.

import assert from 'node:assert/strict';
import type { ClientRequest } from 'node:http';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { type Caller, messageBody, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import { openStream } from '../../support/gateway/open-stream.ts';
import { SINGLE_ATTEMPTS, startTestGateway } from '../../support/gateway/test-gateway.ts';

const CALLERS = 5000;
const AT_ONCE = 100;
/**
 * Each stream reserves its maximum cost: the concurrent ones fit into the budget, all five thousand together
 * exceed it many times.
 */
const BODY = JSON.stringify({ ...messageBody({ stream: true }), max_tokens: 4000 });
const MONTHLY_BUDGET_USD = 15;
/** Far less than five thousand streams with their buffers. */
const MAX_GROWTH_BYTES = 8 * 2 ** 20;

test('five thousand disconnects in mid-stream leak nothing', async (context) => {
  const gateway = await startTestGateway(
    { ANTHROPIC_RATE_LIMIT: '1000000', MAX_CONCURRENT_BUILDS: String(2 * AT_ONCE) },
    // These streams never end, so their usage is not waited for.
    () => `${SINGLE_ATTEMPTS}timeouts: { usageMs: 0 }\n`,
  );
  context.after(() => gateway.close());
  const { simulator } = gateway;
  const tenant = await newTenant(gateway, {
    requestsPerMinute: 2 * CALLERS,
    maxConcurrent: AT_ONCE,
    monthlyBudgetUsd: MONTHLY_BUDGET_USD,
  });
  simulator.setScenario({ preset: 'stall' });
  const delaysMs: number[] = [];
  let heapBytes = 0;
  for (let gone = 0; gone < CALLERS; gone += AT_ONCE) {
    delaysMs.push(...(await streamAndDisconnect(tenant, simulator)));
    if (gone === CALLERS / 5) heapBytes = usedHeap();
  }
  const grownBytes = usedHeap() - heapBytes;
  assert.equal(delaysMs.length, CALLERS);
  const median = delaysMs.toSorted((one, other) => one - other)[CALLERS / 2];
  context.diagnostic(`half of the calls had ended ${median} ms after their callers had left`);
  const used = await usageOf(tenant, CALLERS);
  assert.equal(used.attempts, CALLERS);
  assert.ok(used.outputTokens > CALLERS && used.costUsd < MONTHLY_BUDGET_USD);
  const held = await fetch(`${tenant.url}/v1/budget`, { headers: { 'x-api-key': tenant.apiKey } });
  assert.equal(Reflect.get(Object(await held.json()), 'heldUsd'), 0);
  assert.ok(grownBytes < MAX_GROWTH_BYTES, `${grownBytes} bytes more than before`);
});

/** How long each provider call continued after its caller disconnected. */
async function streamAndDisconnect(tenant: Caller, simulator: Simulator): Promise<number[]> {
  simulator.clearLog();
  const callers = await Promise.all(Array.from({ length: AT_ONCE }, () => beginStream(tenant)));
  const leftAt = Date.now();
  for (const caller of callers) caller.destroy();
  for (;;) {
    const aborted = simulator.log().flatMap(({ abortedAt }) => abortedAt ?? []);
    if (aborted.length === AT_ONCE) return aborted.map((at) => at - leftAt);
    await new Promise(setImmediate);
  }
}

/** Resolves when the first content has arrived. */
async function beginStream(tenant: Caller): Promise<ClientRequest> {
  const { caller, status } = await openStream(tenant, BODY);
  assert.equal(status, 200);
  return caller;
}

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}
