// One organisation's calls hang at the provider and hold the server's slots for requests.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, CLAUDE, errorOf, messageBody } from '../../support/gateway/call-rig.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { openVendorRig } from './vendor-rig.ts';

const MAX = 8;

test('an organisation whose calls hang takes all slots but the reserved ones', async (context) => {
  const rig = await openVendorRig(`cluster: { maxConcurrentBuilds: ${MAX} }\n`);
  context.after(() => rig.close());
  rig.answerWith(({ body }) => (body.includes('hang') ? true : undefined));
  const hostile = await rig.newTenant();
  const other = await rig.newTenant();
  const messages = [{ role: 'user', content: 'hang' }];
  const leaving = new AbortController();
  const hanging = Array.from({ length: MAX }, () =>
    ask(hostile, { body: { ...messageBody(), messages }, signal: leaving.signal }).catch(() => {}),
  );
  await until(async () => rig.received.length === MAX);
  assert.equal(errorOf(await ask(hostile)).code, 'CAPACITY_EXHAUSTED');
  for (let call = 0; call < 3; call += 1) assert.equal((await ask(other)).status, 200);
  leaving.abort();
  await Promise.all(hanging);
});

test('jobs that hang leave connections for requests', async (context) => {
  const rig = await openVendorRig(
    `cluster: { maxConcurrentBuilds: 2 }\nworker: { concurrency: ${MAX} }\n`,
  );
  context.after(() => rig.close());
  rig.answerWith(({ body }) => (body.includes('hang') ? true : undefined));
  const hostile = await rig.newTenant();
  const other = await rig.newTenant();
  const ids: string[] = [];
  for (let job = 0; job < MAX; job += 1) {
    const receipt = await ask(hostile, {
      path: '/v1/jobs',
      body: { model: CLAUDE, prompt: 'hang' },
    });
    ids.push((JSON.parse(receipt.text) as { id: string }).id);
  }
  await until(async () => rig.received.length === MAX);
  assert.equal((await ask(other)).status, 200);
  for (const id of ids)
    await fetch(`${rig.url}/v1/jobs/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': hostile.apiKey },
    });
});
