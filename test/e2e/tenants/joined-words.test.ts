// A provider joins a value of the request to its own words, without quotes. The phrase or the time that this makes stops no other
// organisation, and neither does a limit that appears because the request contains the words of a smaller one.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, type Caller, GPT } from '../../support/gateway/call-rig.ts';
import { openVendorRig, refuse, type VendorRig } from './vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
`;

const JOINED: readonly (readonly [message: string, words: string])[] = [
  ['Rate limit reached. You exceeded {x}', 'your current quota'],
  ['Requests are limited. {x} has been exhausted.', 'team-quota'],
  ['Requests are limited to 3 per {x}', 'month'],
  ['Too many requests. Please try again in {x}', '700 hours'],
  ['Too many requests, {x} in 20 hours', 'try again'],
  ['Too many requests. {x} is above its quota.', 'Too many requests'],
];

suite('words of a request that the provider joins to its own', () => {
  let rig: VendorRig;
  let hostile: Caller;
  let other: Caller;
  before(async () => {
    rig = await openVendorRig(FILE);
    hostile = await rig.newTenant();
    other = await rig.newTenant();
  });
  after(() => rig.close());

  for (const [message, words] of JOINED)
    for (const status of [403, 429])
      test(`stop no other organisation: a ${status} "${message}" with "${words}"`, async () => {
        const say = (caller: Caller, fields: object) =>
          ask(caller, {
            path: '/v1/chat/completions',
            body: { model: GPT, messages: [{ role: 'user', content: 'Hello' }], ...fields },
          });
        const error = { message: message.replace('{x}', words) };
        rig.answerWith((_, response) => refuse(response, status, { error }));
        assert.notEqual((await say(hostile, { user: words })).status, 200);
        rig.answerWith(() => undefined);
        assert.equal((await say(other, {})).status, 200);
      });
});
