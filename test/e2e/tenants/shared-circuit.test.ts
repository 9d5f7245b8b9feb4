// One organisation's requests make the provider fail; those of another succeed.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { ask, type Caller, errorOf, messageBody } from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
`;
const SHORT = `${FILE}breaker: { openMs: 100 }\n`;
const FAILURES = 5;

async function open(context: TestContext, file = FILE) {
  const rig = await openVendorRig(file);
  context.after(() => rig.close());
  rig.answerWith(({ body }, response) =>
    body.includes('provoke')
      ? refuse(response, 500, { type: 'error', error: { type: 'api_error', message: 'failed' } })
      : undefined,
  );
  const provoke = (caller: Caller) =>
    ask(caller, { body: { ...messageBody(), messages: [{ role: 'user', content: 'provoke' }] } });
  return { rig, provoke, hostile: await rig.newTenant(), other: await rig.newTenant() };
}

test('an organisation that takes every probe with a failing request keeps no other out', async (context) => {
  const { provoke, hostile, other } = await open(context, SHORT);
  for (let call = 0; call < FAILURES; call += 1) await provoke(hostile);
  const attack = new AbortController();
  const attacking = Array.from({ length: 4 }, async () => {
    while (!attack.signal.aborted) await provoke(hostile);
  });
  const statuses: number[] = [];
  for (let call = 0; call < 60; call += 1) {
    statuses.push((await ask(other)).status);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  attack.abort();
  await Promise.all(attacking);
  // The first open time and one probe may pass before the organisation is served.
  assert.deepEqual(
    statuses.slice(30).filter((status) => status !== 200),
    [],
    statuses.join(' '),
  );
});

test('one failure among the successes of an organisation opens no circuit for it beside a failing one', async (context) => {
  const { rig, provoke, hostile, other } = await open(context);
  for (let call = 0; call < 4; call += 1) assert.equal((await ask(other)).status, 200);
  await provoke(other);
  for (let call = 0; call < 20; call += 1) await provoke(hostile);
  for (const caller of [other, await rig.newTenant()])
    assert.equal((await ask(caller)).status, 200);
  assert.equal(errorOf(await ask(hostile)).params['reason'], 'circuit_open');
});

test('an organisation with a long call keeps out of the circuit that failures of another open', async (context) => {
  const { rig, provoke, hostile, other } = await open(context);
  rig.answerWith(({ body }, response) => {
    if (body.includes('hang')) return true;
    if (!body.includes('provoke')) return undefined;
    return refuse(response, 500, { type: 'error', error: { type: 'api_error' } });
  });
  const leaving = new AbortController();
  context.after(() => leaving.abort());
  const { signal } = leaving;
  const messages = [{ role: 'user', content: 'hang' }];
  const long = ask(other, { body: { ...messageBody(), messages }, signal }).catch(() => undefined);
  await sleep(systemClock, 1500);
  for (let call = 0; call < 2 * FAILURES; call += 1) await provoke(hostile);
  assert.equal((await ask(other)).status, 200);
  leaving.abort();
  await long;
});
