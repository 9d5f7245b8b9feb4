import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extractError, isFailure } from './extract-error.ts';

test('an error is removed from the data, and the rest stays', () => {
  const data = { step: 3, error: 'it broke', nested: { list: [1, { ok: true }] } };
  assert.deepEqual(extractError(data), {
    data: { step: 3, nested: { list: [1, { ok: true }] } },
    error: 'it broke',
  });
});

test('an error is found at any depth and under any of its names', () => {
  for (const name of [
    'error',
    'err',
    'Error',
    'errors',
    'exception',
    'error_message',
    'errorMessage',
    'errorDetails',
  ])
    assert.deepEqual(extractError({ a: [{ [name]: 'why', b: 1 }] }), {
      data: { a: [{ b: 1 }] },
      error: 'why',
    });
});

test('stack traces are removed and are not the error', () => {
  const data = { stack: 'at x', stackTrace: ['at y'], error_stack: 'at z', traceback: 'q', a: 1 };
  assert.deepEqual(extractError(data), { data: { a: 1 }, error: undefined });
});

test("a number, a flag or null under an error's name is not an error", () => {
  const data = {
    error: null,
    errors: 0,
    exception: false,
    err: '',
    errorDetails: [],
    error_text: {},
  };
  assert.deepEqual(extractError(data), { data, error: undefined });
});

test('the remaining data is storable: no NUL, no lone surrogate, bounded depth', () => {
  assert.deepEqual(extractError({ 'a\u0000': 'x\u0000y \ud800' }).data, {
    'a\uFFFD': 'x\uFFFDy \uFFFD',
  });
  let deep: unknown = 'end';
  for (let depth = 0; depth < 100; depth += 1) deep = { deep };
  assert.ok(!JSON.stringify(extractError(deep).data).includes('end'));
});

test('no text of an error remains in the data, wherever it was', () => {
  const canary = 'canary-text';
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue({ maxDepth: 2 }),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('node'), { maxKeys: 3 }),
      fc.record({
        error: fc.oneof(fc.constant(canary), fc.constant({ message: canary, code: 1 })),
        kept: tie('node'),
      }),
    ),
  }));
  fc.assert(
    fc.property(tree.node, (data) => {
      const separated = extractError(data);
      assert.ok(!JSON.stringify(separated.data ?? null).includes(canary));
      // A second extraction changes nothing.
      assert.deepEqual(extractError(separated.data).data, separated.data);
    }),
  );
});

test('only non-empty text, objects and lists are failures', () => {
  for (const value of ['no', { a: 1 }, ['x']]) assert.equal(isFailure(value), true);
  for (const value of ['', ' ', {}, [], null, undefined, false, true, 3])
    assert.equal(isFailure(value), false);
});
