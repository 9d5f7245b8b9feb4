import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonsText } from './scaling-words.ts';

test('reasons of an advice are words, unknown ones stay', () => {
  assert.equal(reasonsText(['idle', 'lower_bound']), 'little load, the configured minimum');
  assert.equal(reasonsText(['moon_phase']), 'moon_phase');
  assert.equal(reasonsText([]), '–');
});
