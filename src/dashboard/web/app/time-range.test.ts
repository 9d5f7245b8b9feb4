import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRange } from './time-range.ts';

test('a range has a known name, one hour by default', () => {
  assert.deepEqual(parseRange({ range: '24h' }), { kind: 'named', name: '24h' });
  assert.deepEqual(parseRange({}), { kind: 'named', name: '1h' });
  assert.deepEqual(parseRange({ range: '3y' }), { kind: 'named', name: '1h' });
});

test('two times are a range of their own if they are in order', () => {
  assert.deepEqual(parseRange({ from: '1000', to: '2000' }), {
    kind: 'custom',
    from: 1000,
    to: 2000,
  });
  assert.equal(parseRange({ from: '2000', to: '1000' }).kind, 'named');
  assert.equal(parseRange({ from: 'x', to: '1000' }).kind, 'named');
});
