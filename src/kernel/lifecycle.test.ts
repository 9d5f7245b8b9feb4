import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLifecycle } from './lifecycle.ts';

test('steps run one after the other in reverse order of registration', async () => {
  const lifecycle = createLifecycle();
  const closed: string[] = [];
  lifecycle.onClose('store', () => void closed.push('store'));
  lifecycle.onClose('server', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    closed.push('server');
  });
  await lifecycle.close();
  assert.deepEqual(closed, ['server', 'store']);
});

test('closing twice runs every step once and returns the same promise', async () => {
  const lifecycle = createLifecycle();
  let runs = 0;
  lifecycle.onClose('step', () => {
    runs += 1;
  });
  assert.equal(lifecycle.close(), lifecycle.close());
  await lifecycle.close();
  assert.equal(runs, 1);
});

test('a step that throws or rejects does not stop the others, and close rejects with all failures', async () => {
  const lifecycle = createLifecycle();
  const closed: string[] = [];
  lifecycle.onClose('first', () => void closed.push('first'));
  lifecycle.onClose('second', () => Promise.reject(new Error('later')));
  lifecycle.onClose('third', () => {
    throw new Error('now');
  });
  await assert.rejects(lifecycle.close(), (error) => {
    assert.ok(error instanceof AggregateError);
    assert.equal(error.message, 'closing third failed; closing second failed');
    assert.equal(error.errors.length, 2);
    return true;
  });
  assert.deepEqual(closed, ['first']);
});

test('registering a step after close has begun throws', async () => {
  const lifecycle = createLifecycle();
  const closing = lifecycle.close();
  assert.throws(() => lifecycle.onClose('late', () => {}), /late was opened while closing/);
  await closing;
});
