import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from './ids.ts';

test('an id is its kind and a UUIDv7 without dashes', () => {
  assert.match(newId('req'), /^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  assert.match(newId('job'), /^job_[0-9a-f]{32}$/);
});

test('ids are unique, and an id of a later millisecond sorts after an earlier one', () => {
  const ids = Array.from({ length: 5000 }, () => newId('evt'));
  assert.equal(new Set(ids).size, ids.length);
  const moments = ids.map((id) => Number.parseInt(id.slice(4, 16), 16));
  assert.deepEqual(
    moments,
    moments.toSorted((a, b) => a - b),
  );
});
