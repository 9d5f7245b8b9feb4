// After a limit, a failure or a refused key one call finds out whether the provider serves again. One organisation
// takes these probes, and none of them gives an answer: its requests are invalid, hang, or are refused by its own
// limits.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { administer, ask, type Caller, messageBody } from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse, type Vendor } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0, refusedCredentialMs: 300 }
breaker: { openMs: 100 }
`;
const PROBE_MS = 40;

type Attack = { readonly text: string; readonly leaveMs?: number };

async function open(context: TestContext) {
  const rig = await openVendorRig(FILE);
  context.after(() => rig.close());
  let failure: Vendor = () => undefined;
  rig.answerWith((request, response) => {
    if (failure(request, response)) return true;
    if (request.body.includes('hang')) return true;
    if (!request.body.includes('invalid')) return undefined;
    const error = { type: 'invalid_request_error', message: 'messages: invalid' };
    setTimeout(() => refuse(response, 400, { type: 'error', error }), PROBE_MS);
    return true;
  });
  return {
    rig,
    hostile: await rig.newTenant(),
    other: await rig.newTenant(),
    failWith: (next: Vendor) => void (failure = next),
  };
}

/** Keeps several requests of the hostile organisation in flight. */
function attack(hostile: Caller, { text, leaveMs }: Attack): () => Promise<void> {
  const ending = new AbortController();
  const body = { ...messageBody(), messages: [{ role: 'user', content: text }] };
  const loops = Array.from({ length: 6 }, async () => {
    while (!ending.signal.aborted) {
      const signal = leaveMs === undefined ? ending.signal : AbortSignal.timeout(leaveMs);
      await ask(hostile, { body, signal }).catch(() => undefined);
    }
  });
  return async () => {
    ending.abort();
    await Promise.all(loops);
  };
}

/** The statuses of another organisation's calls, one every 100 ms. */
async function statusesOf(caller: Caller, calls: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await sleep(systemClock, 100);
    statuses.push((await ask(caller)).status);
  }
  return statuses;
}

const ATTACKS: readonly Attack[] = [{ text: 'invalid' }, { text: 'hang', leaveMs: PROBE_MS }];

for (const hostileAttack of ATTACKS) {
  const name = `requests that ${hostileAttack.text === 'hang' ? 'are aborted' : 'are invalid'}`;

  test(`${name} as probes keep no other organisation out of an open circuit`, async (context) => {
    const { hostile, other, failWith } = await open(context);
    failWith((_, response) => refuse(response, 500, { error: { type: 'api_error' } }));
    for (const caller of [hostile, other, hostile, other, hostile, other]) await ask(caller);
    failWith(() => undefined);
    const end = attack(hostile, hostileAttack);
    const statuses = await statusesOf(other, 20);
    await end();
    assert.deepEqual(statuses.slice(-10), Array(10).fill(200), statuses.join(' '));
  });

  for (const [scope, claim] of [
    ['an account', 'seven_day'],
    ['a model', 'seven_day_opus'],
  ] as const)
    test(`${name} as probes keep no other organisation from ${scope} whose limit is over`, async (context) => {
      const { rig, hostile, other, failWith } = await open(context);
      const unified = 'anthropic-ratelimit-unified';
      failWith((_, response) =>
        refuse(
          response,
          429,
          { error: { type: 'rate_limit_error', message: 'Limited' } },
          {
            [`${unified}-status`]: 'rejected',
            [`${unified}-representative-claim`]: claim,
            [`${unified}-reset`]: new Date(Date.now() + 500).toISOString(),
          },
        ),
      );
      assert.equal((await ask(hostile)).status, 429);
      failWith(() => undefined);
      const { data } = await administer(rig, 'GET', '/admin/limits');
      assert.equal((data as { model?: string | null }[])[0]?.model != null, scope === 'a model');
      const end = attack(hostile, hostileAttack);
      const statuses = await statusesOf(other, 20);
      await end();
      assert.deepEqual(statuses.slice(-10), Array(10).fill(200), statuses.join(' '));
    });

  test(`${name} keep no other organisation from a key that works again`, async (context) => {
    const { hostile, other, failWith } = await open(context);
    failWith((_, response) => refuse(response, 401, { error: { type: 'authentication_error' } }));
    assert.equal((await ask(hostile)).status, 502);
    failWith(() => undefined);
    const end = attack(hostile, hostileAttack);
    const statuses = await statusesOf(other, 20);
    await end();
    assert.deepEqual(statuses.slice(-10), Array(10).fill(200), statuses.join(' '));
  });
}
