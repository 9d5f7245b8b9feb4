import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { busiestSpan, usedParts } from './pace.ts';

suite('the pace of calls', () => {
  test('only whole windows between the first and the last call count', () => {
    const limit = { perWindow: 4, windowMs: 100 };
    assert.deepEqual(usedParts([0, 0, 10, 99, 100, 150, 199, 250], limit), [1, 0.75]);
    assert.deepEqual(usedParts([7], limit), []);
    assert.deepEqual(usedParts([], limit), []);
  });

  test('a window without calls counts as unused', () => {
    assert.deepEqual(usedParts([0, 350], { perWindow: 1, windowMs: 100 }), [1, 0, 0]);
  });

  test('the busiest span covers delayed calls only and may start anywhere', () => {
    const calls = [0, 0, 0, 100, 140, 150, 160, 230, 400];
    assert.equal(busiestSpan(calls, 100, { perWindow: 3 }), 4);
    assert.equal(busiestSpan(calls, 61, { perWindow: 3 }), 4);
    assert.equal(busiestSpan(calls, 60, { perWindow: 3 }), 3);
    assert.equal(busiestSpan(calls, 100, { perWindow: 9 }), 0);
  });
});
