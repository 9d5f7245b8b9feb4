import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBareItem } from './bare-item.ts';

test('an item of a name twice, and items beyond the bound, may stand for a stored one', () => {
  const bare = (input: string) => {
    const body = Buffer.from(input);
    return findBareItem(body, { start: 0, end: body.length });
  };
  assert.equal(bare('[{"id":"m","type":"message","type":null}]'), 'input[0].id');
  assert.equal(bare(`[${'1,'.repeat(200_001)}{"id":"m"}]`), 'input');
  assert.equal(bare('"text"'), undefined);
  assert.equal(bare('["text",{"id":"m","type":"message"},{"id":"m","content":"x"}]'), undefined);
});
