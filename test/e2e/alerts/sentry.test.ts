// A gateway with a Sentry DSN: a provider's failure reaches the project, a caller's mistake and a throttle do not, and
// nothing of the request is in the report.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ask, CLAUDE } from '../../support/gateway/call-rig.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';

test('a provider’s failure reaches Sentry without the request', async (context) => {
  const envelopes: string[] = [];
  const ingest = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isZipped = request.headers['content-encoding'] === 'gzip';
      envelopes.push((isZipped ? gunzipSync(body) : body).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  ingest.listen(0, '127.0.0.1');
  await once(ingest, 'listening');
  context.after(() => ingest.close());
  const address = ingest.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const gateway = await startTestGateway({ SENTRY_DSN: `http://public@127.0.0.1:${port}/1` });
  const messages = [{ role: 'user', content: 'canary-prompt' }];
  const body = { model: CLAUDE, max_tokens: 50, messages };
  const headers = { 'x-user-id': 'canary-user' };
  for (const preset of ['server-error', 'rate-limit', 'invalid-request']) {
    gateway.simulator.setScenario({ preset });
    assert.notEqual((await ask(gateway, { body, headers })).status, 200);
  }
  // Closing sends what is buffered.
  await gateway.close();
  assert.equal(envelopes.length, 1);
  const [sent = ''] = envelopes;
  assert.match(sent, /"code":"PROVIDER_UNAVAILABLE","provider":"anthropic"/);
  assert.ok(sent.includes(`"model":"${CLAUDE}"`));
  assert.doesNotMatch(sent, /canary|a-key-for-tests|an-admin-key|x-api-key/);
});
