import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTools } from './request-tools.ts';

function read(tools: unknown): ReturnType<typeof readTools> {
  const body = Buffer.from(JSON.stringify(tools));
  return readTools('openai', body, { start: 0, end: body.length });
}

test('the tools of a namespace count as if they stood alone', () => {
  const call = { type: 'function', name: 'f', parameters: {} };
  const search = { type: 'web_search' };
  const group = (...tools: object[]) => ({ type: 'namespace', name: 'n', tools });
  assert.deepEqual(read([call, group(call, { type: 'custom', name: 'c' })]), { tools: [] });
  const found = read([group(call, group(search))]);
  assert.ok('tools' in found);
  assert.deepEqual(
    found.tools.map(({ kind, field }) => [kind, field]),
    [['web_search', 'tools[0].tools[1].tools[0].type']],
  );
  assert.deepEqual(read([group(call), { type: 'namespace', name: 'n', tools: 7 }]), {
    field: 'tools[1].tools',
    problem: 'wrong_type',
  });
});
