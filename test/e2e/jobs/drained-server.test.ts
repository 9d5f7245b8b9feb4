// A drained server in one process: it takes no job from a queue until it is resumed, and still answers its operators.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administer } from '../../support/gateway/call-rig.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';

const READS = 100;

test('a job that is submitted to a drained server waits, and runs when the server is resumed', async (context) => {
  const gateway = await startTestGateway({ SERVER_ID: 'only' });
  context.after(() => gateway.close());
  const { url, apiKey, simulator } = gateway;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function jobAt(id: string): Promise<string> {
    const response = await fetch(`${url}/v1/jobs/${id}`, { headers });
    return textAt(await response.json(), 'status');
  }

  async function ready(status: number): Promise<void> {
    while ((await fetch(`${url}/health/ready`)).status !== status);
  }

  /** A reading is at most a second old. */
  async function untilDepth(depth: number): Promise<void> {
    const read = async () => (await administer(gateway, 'GET', '/health/detailed'))['workload'];
    while (valueAt(await read(), 'queueDepth') !== depth);
  }

  await administer(gateway, 'POST', '/cluster/servers/only/drain');
  await ready(503);
  const health = await administer(gateway, 'GET', '/health/detailed');
  assert.deepEqual([health['isDraining'], health['mode']], [true, 'draining']);
  const receipt = await fetch(`${url}/v1/jobs`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ prompt: 'Hello', model: 'claude-sonnet-5-5' }),
  });
  assert.equal(receipt.status, 202);
  const id = textAt(await receipt.json(), 'id');
  // A consumer takes a job within a few turns of the event loop.
  for (let turn = 0; turn < READS; turn += 1) assert.equal(await jobAt(id), 'queued');
  assert.equal(simulator.log().length, 0);
  await untilDepth(1);

  await administer(gateway, 'POST', '/cluster/servers/only/resume');
  await ready(200);
  while ((await jobAt(id)) !== 'succeeded');
  assert.equal(simulator.log().length, 1);
});
