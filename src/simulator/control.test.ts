import assert from 'node:assert/strict';
import test from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { asList, asRecord } from './read-json.ts';
import { PRESETS } from './scenario/presets.ts';
import { startSimulator } from './simulator.ts';

const clock = createTestClock();
const simulator = await startSimulator({ clock });
test.after(() => simulator.close());
test.beforeEach(() => {
  simulator.resetScenario();
  simulator.clearLog();
});

async function control(
  path: string,
  init?: RequestInit,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${simulator.url}/_simulator/${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function request(): Promise<number> {
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'key' },
    body: JSON.stringify({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  await response.text();
  return response.status;
}

function put(scenario: unknown) {
  return control('scenario', { method: 'PUT', body: JSON.stringify(scenario) });
}

test('a scenario is set, read and reset over HTTP', async () => {
  const set = await put({ provider: 'anthropic', preset: 'overloaded' });
  assert.equal(set.status, 200);
  assert.equal(await request(), 529);
  const shown = await control('scenario');
  assert.deepEqual(shown.body, {
    data: [{ provider: 'anthropic', preset: 'overloaded', fault: 'overloaded' }],
  });
  assert.equal((await control('scenario', { method: 'DELETE' })).status, 204);
  assert.equal(await request(), 200);
});

test('an invalid scenario is rejected with a message and changes nothing', async () => {
  await put({ preset: 'overloaded' });
  const wrong = await put({ latencyMs: 'soon' });
  assert.equal(wrong.status, 400);
  const { error } = asRecord(wrong.body);
  assert.match(String(asRecord(error).message), /^The scenario is not valid\. latencyMs: /);
  const broken = await control('scenario', { method: 'PUT', body: '{' });
  assert.equal(broken.status, 400);
  assert.equal(await request(), 529);
});

test('the presets are listed with one line each', async () => {
  const { body } = await control('scenarios');
  const names = asList(asRecord(body).data).map((preset) => asRecord(preset).name);
  assert.deepEqual(names, Object.keys(PRESETS));
});

test('the log is paged, newest last, and can be cleared', async () => {
  for (let index = 0; index < 5; index += 1) await request();
  const sequences = async (query: string) => {
    const { body } = await control(`log${query}`);
    const first = simulator.log()[0]?.sequence ?? 0;
    const data = asList(asRecord(body).data).map(
      (entry) => Number(asRecord(entry).sequence) - first,
    );
    return { data, nextCursor: asRecord(body).nextCursor };
  };
  const first = simulator.log()[0]?.sequence ?? 0;
  assert.deepEqual((await sequences('')).data, [0, 1, 2, 3, 4]);
  assert.deepEqual((await sequences('?limit=2')).data, [3, 4]);
  const page = await sequences(`?since=${first}&limit=2`);
  assert.deepEqual(page, { data: [1, 2], nextCursor: first + 2 });
  assert.deepEqual(await sequences(`?since=${first + 2}`), { data: [3, 4], nextCursor: null });
  assert.equal((await control('log?limit=many')).status, 400);
  assert.equal((await control('log', { method: 'DELETE' })).status, 204);
  assert.deepEqual((await sequences('')).data, []);
});

test('the totals count by provider, status and outcome and include the window peaks', async () => {
  await put({ sequence: [{}, { preset: 'overloaded' }, {}] });
  await request();
  await request();
  await clock.advance(2_000);
  await request();
  const { body } = await control('stats?windowMs=1000');
  assert.partialDeepStrictEqual(body, {
    requests: 3,
    inFlight: 0,
    dropped: 0,
    byProvider: {
      anthropic: {
        requests: 3,
        maxRequestsPerMinute: 3,
        byStatus: { '200': 2, '529': 1 },
        byOutcome: { ok: 2, refused: 1 },
      },
    },
    maxRequestsPerWindow: { anthropic: 2 },
  });
});

test('unknown endpoints get 404 and wrong methods get 405', async () => {
  assert.equal((await control('nothing')).status, 404);
  assert.equal((await control('log', { method: 'POST' })).status, 405);
});
