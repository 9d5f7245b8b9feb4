import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routingRows } from './routing-rows.ts';

test('routing counts become rows in words, the largest first and without zeros', () => {
  const byReason = {
    local: { available: 3, other: 0 },
    proxied: { local_ai_limit: 9 },
    failed: { no_server: 1 },
  };
  const rows = routingRows({ local: 3, proxied: 9, failed: 1, byReason });
  assert.deepEqual(
    rows.map(({ text, count }) => `${text} ${count}`),
    [
      'forwarded: a provider limit on the first server 9',
      'served here: capacity was free 3',
      'failed: no server 1',
    ],
  );
});
