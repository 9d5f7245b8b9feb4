// After a caller has left a stream, its provider call stays open for its usage, for a few seconds. It keeps its slots until it
// ends, so that callers that open and leave streams hold no more provider calls than callers that stay.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { type Caller, messageBody, newTenant } from '../../support/gateway/call-rig.ts';
import { openStream } from '../../support/gateway/open-stream.ts';
import { SINGLE_ATTEMPTS, startTestGateway } from '../../support/gateway/test-gateway.ts';

const MAX = 3;
const OPENED = 60;
const BODY = JSON.stringify(messageBody({ stream: true }));

for (const [bound, env, limits] of [
  ["the organisation's concurrency limit", {}, { maxConcurrent: MAX }],
  // A quarter of the slots is added for organisations that hold few.
  ["the server's slots", { MAX_CONCURRENT_BUILDS: '2' }, {}],
] as const)
  test(`streams that are opened and left hold no more provider calls than ${bound}`, async (context) => {
    const gateway = await startTestGateway(
      { ANTHROPIC_RATE_LIMIT: '1000000', ...env },
      () => `${SINGLE_ATTEMPTS}timeouts: { usageMs: 2000 }\n`,
    );
    context.after(() => gateway.close());
    const tenant = await newTenant(gateway, { requestsPerMinute: 100_000, ...limits });
    gateway.simulator.setScenario({ preset: 'stall' });
    let served = 0;
    for (let opened = 0; opened < OPENED; opened += 1) {
      if ((await openAndLeave(tenant)) === 200) served += 1;
      const held = openCalls(gateway.simulator);
      assert.ok(held <= MAX, `${held} provider calls are open`);
    }
    assert.ok(served > 1 && served < OPENED, `${served} streams were served`);
    // The slots return when the calls end.
    while ((await openAndLeave(tenant)) !== 200) await new Promise(setImmediate);
    assert.ok(openCalls(gateway.simulator) <= MAX);
  });

function openCalls(simulator: Simulator): number {
  return simulator.log().filter(({ abortedAt }) => abortedAt === undefined).length;
}

/** The status; a stream is left at its first content. */
async function openAndLeave(tenant: Caller): Promise<number | undefined> {
  const { caller, status } = await openStream(tenant, BODY);
  caller.destroy();
  return status;
}
