import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/kernel/clock.ts';
import { startSimulator } from '../src/simulator/simulator.ts';
import { recordRequests } from './record-requests.ts';

test('the recorder passes request and answer unchanged and records both', async (context) => {
  const provider = await startSimulator({ clock: systemClock });
  const recorder = await recordRequests(provider.url);
  context.after(async () => {
    await recorder.close();
    await provider.close();
  });
  provider.setScenario({ text: 'Hello from the provider' });
  const body = JSON.stringify({
    model: 'claude-sonnet-5',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  const headers = { 'x-api-key': 'k', 'content-type': 'application/json' };
  const answer = await fetch(`${recorder.url}/v1/messages`, { method: 'POST', headers, body });
  const text = await answer.text();
  assert.match(text, /event: message_stop/);
  assert.deepEqual(recorder.recorded(), [{ path: '/v1/messages', body, status: 200 }]);
  assert.equal(provider.log()[0]?.bodyBytes, body.length);
});
