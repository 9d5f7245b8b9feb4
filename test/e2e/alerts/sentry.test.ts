// A gateway with a Sentry DSN: a provider's failure reaches the project, a caller's mistake and a throttle do not, and
// nothing of the request is in the report.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, CLAUDE } from '../../support/gateway/call-rig.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';
import { startTextSink } from '../../support/telemetry/text-sink.ts';

test('a provider’s failure reaches Sentry without the request', async (context) => {
  const ingest = await startTextSink();
  context.after(() => ingest.close());
  const gateway = await startTestGateway({
    SENTRY_DSN: `http://public@127.0.0.1:${ingest.port}/1`,
  });
  const messages = [{ role: 'user', content: 'canary-prompt' }];
  const body = { model: CLAUDE, max_tokens: 50, messages };
  const headers = { 'x-user-id': 'canary-user' };
  for (const preset of ['server-error', 'rate-limit', 'invalid-request']) {
    gateway.simulator.setScenario({ preset });
    assert.notEqual((await ask(gateway, { body, headers })).status, 200);
  }
  // Closing sends what is buffered.
  await gateway.close();
  assert.equal(ingest.requests.length, 1);
  const sent = ingest.requests[0]?.body ?? '';
  assert.match(sent, /"code":"PROVIDER_UNAVAILABLE","provider":"anthropic"/);
  assert.ok(sent.includes(`"model":"${CLAUDE}"`));
  assert.doesNotMatch(sent, /canary|a-key-for-tests|an-admin-key|x-api-key/);
});
