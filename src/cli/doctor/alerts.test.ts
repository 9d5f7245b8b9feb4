import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { loadConfig } from '../../config/load-config.ts';
import { alertsCheck } from './alerts.ts';

const NOWHERE = { url: undefined, pid: undefined, adminKey: undefined, apiKey: undefined };

function configOf(env: Record<string, string> = {}) {
  return loadConfig({ env, cwd: import.meta.dirname });
}

test('firing alerts of the running server are warnings with their section of the runbook', async () => {
  const server = createServer((request, response) => {
    assert.equal(request.headers.authorization, 'Bearer admin');
    const message = 'Fact. Remedy. See docs/runbook.md#dead-letters.';
    const runbook = 'docs/runbook.md#dead-letters';
    response.end(
      JSON.stringify({ data: [{ name: 'dead-letters', severity: 'warning', message, runbook }] }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const location = { ...NOWHERE, url, adminKey: 'admin' };
  const verdicts = await alertsCheck.inspect({
    config: configOf(),
    location,
    isServerUp: true,
    now: 0,
  });
  server.close();
  assert.deepEqual(verdicts, [
    {
      status: 'warning',
      sentence: 'dead-letters fires: Fact. Remedy.',
      mend: 'See docs/runbook.md#dead-letters.',
    },
  ]);
});

test('without a firing alert the check names the sinks', async () => {
  const config = configOf({ ALERT_WEBHOOK_URL: 'http://10.0.0.1/hook' });
  const context = { config, location: NOWHERE, isServerUp: false, now: 0 };
  const [verdict] = await alertsCheck.inspect(context);
  assert.equal(verdict?.sentence, 'No alert fires; messages go to the log, the webhook.');
});
