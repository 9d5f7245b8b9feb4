// Access to the raw failure behind a sealed error: operators by request id, and keys with diagnostics in direct
// answers. Configured keys are redacted for both.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { CANARIES } from './canaries.ts';
import { callThrough, ENDPOINTS, FIXTURES, FORMATS, SCRIPT } from './failing-calls.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { ADMIN_KEY, openSealedRig, type SealedRig } from './sealed-rig.ts';

suite('the raw failure behind a sealed error', () => {
  const index = FIXTURES.findIndex(({ name }) => name === 'Azure: a wrong key');
  let upstream: ScriptedUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startScriptedUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  test('an operator finds the raw failure by its request id, without secrets', async () => {
    const seen = await callThrough(rig, 'anthropic', false, { plan: '0:refuse' });
    const id = seen.headers.get('x-request-id') ?? '';
    const found = await rig.call('GET', `/admin/requests/${id}`, undefined, { key: ADMIN_KEY });
    assert.equal(found.status, 200);
    const record: unknown = JSON.parse(found.text);
    assert.equal(valueAt(record, 'id'), id);
    assert.equal(valueAt(record, 'provider'), 'anthropic');
    assert.equal(valueAt(record, 'error', 'code'), FIXTURES[0]?.code);
    assert.equal(valueAt(record, 'attempts', '0', 'status'), SCRIPT[0]?.status);
    const body = textAt(record, 'attempts', '0', 'raw', 'body');
    assert.ok(body.includes('canary-host'), 'the text itself is there');
    assert.ok(!found.text.includes(CANARIES.providerKey));
  });

  test('a failed run of a job is found by the id of the submitting request', async () => {
    const request = { ...ENDPOINTS.openai.body, plan: `${index}:refuse` };
    const model = ENDPOINTS.openai.model;
    const receipt = await rig.call('POST', '/v1/jobs', { model, request, format: 'openai' });
    const path = `/admin/requests/${receipt.headers.get('x-request-id')}`;
    for (;;) {
      const found = await rig.call('GET', path, undefined, { key: ADMIN_KEY });
      if (found.status === 404) continue;
      const record: unknown = JSON.parse(found.text);
      const runId = textAt(record, 'attempts', '0', 'id');
      const byRun = await rig.call('GET', `/admin/requests/${runId}`, undefined, {
        key: ADMIN_KEY,
      });
      assert.equal(byRun.text, found.text);
      assert.ok(!found.text.includes(CANARIES.providerKey));
      return;
    }
  });

  test('a key with diagnostics sees the raw failure in direct answers only', async () => {
    const made = await rig.call(
      'POST',
      '/admin/orgs/default/keys',
      { name: 'developer', diagnostics: true },
      { key: ADMIN_KEY },
    );
    const key = textAt(JSON.parse(made.text), 'key');
    for (const format of FORMATS) {
      await rig.forgetLimits(format);
      for (const [way, isStream] of [
        ['refuse', false],
        ['late', true],
      ] as const) {
        const { model, path, body } = ENDPOINTS[format];
        const named = format === 'gemini' ? {} : { model, stream: isStream };
        const seen = await rig.call(
          'POST',
          path(isStream),
          { ...named, ...body, plan: `${index}:${way}` },
          { key, onHead: () => upstream.proceed() },
        );
        assert.match(seen.text, /canary-host/, `${format}, ${way}`);
        assert.ok(!seen.text.includes(CANARIES.providerKey), `${format}, ${way}`);
        const id = /req_[0-9a-f]{32}/.exec(seen.text)?.[0];
        const kept = await rig.call('GET', `/admin/requests/${id}`, undefined, { key: ADMIN_KEY });
        assert.equal(valueAt(JSON.parse(kept.text), 'error', 'diagnostics'), undefined);
      }
    }
  });
});
