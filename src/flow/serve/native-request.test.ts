import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readLabel } from './native-request.ts';

test('a label is the first 200 characters of its header', () => {
  assert.equal(readLabel('u'.repeat(201)), 'u'.repeat(200));
  assert.equal(readLabel('u1'), 'u1');
  for (const none of ['', undefined, ['a', 'b']]) assert.equal(readLabel(none), undefined);
});

test('a table of labels does not keep the headers that they are from', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const labels: (string | undefined)[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let user = 0; user < 5000; user += 1)
    labels.push(readLabel(Buffer.from(`${user}-`.padEnd(15_000, 'x')).toString()));
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  assert.equal(labels.length, 5000);
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});
