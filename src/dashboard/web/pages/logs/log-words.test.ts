import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedEntries, LOG_LEVELS, levelState, metadataPairs } from './log-words.ts';

const entry = { at: 1, level: 'info', type: 'request', message: 'ok' } as const;

test('the metadata shows scalar fields, shortened', () => {
  const pairs = metadataPairs({
    ...entry,
    metadata: { code: 'TIMEOUT', nested: { a: 1 }, none: null, text: 'x'.repeat(200), count: 0 },
  });
  assert.deepEqual(
    pairs.map(([name]) => name),
    ['code', 'text', 'count'],
  );
  assert.equal(pairs[1]?.[1].length, 80);
});

test('equal entries get different keys', () => {
  const keys = keyedEntries([entry, entry, { ...entry, at: 2 }]).map(({ key }) => key);
  assert.equal(new Set(keys).size, 3);
});

test('every level has a state', () => {
  for (const level of LOG_LEVELS) assert.ok(levelState(level));
});
