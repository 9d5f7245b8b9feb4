import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { createOwnReads } from './own-reads.ts';

/** Reads that record their start and end on demand. */
function createRecorder() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const read = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { started, ends, read };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

test('a few reads of an organisation run at once, and others wait in order', async () => {
  const reads = createOwnReads({ concurrent: 2, queued: 10 });
  const { started, ends, read } = createRecorder();
  const running = ['1', '2', '3', '4'].map((name) => reads('acme', read(name)));
  await turns(10);
  assert.deepEqual(started, ['1', '2']);
  ends.shift()?.();
  await turns(10);
  assert.deepEqual(started, ['1', '2', '3']);
  ends.shift()?.();
  await turns(10);
  assert.deepEqual(started, ['1', '2', '3', '4']);
  for (const end of ends) end();
  await Promise.all(running);
});

test('a read does not wait for reads of another organisation to end', async () => {
  const reads = createOwnReads({ concurrent: 1, queued: 10 });
  const { started, ends, read } = createRecorder();
  const running = ['1', '2', '3'].map((name) => reads('hostile', read(name)));
  running.push(reads('other', read('other')));
  await turns(10);
  assert.deepEqual(started, ['1', 'other']);
  const all = Promise.all(running);
  for (const _ of running) {
    await turns(5);
    for (const end of ends.splice(0)) end();
  }
  await all;
});

test('a turn of the event loop starts a few reads of all organisations', async () => {
  const reads = createOwnReads();
  let started = 0;
  const running = ['a', 'b', 'c', 'd'].flatMap((organization) =>
    [1, 2, 3, 4, 5].map(() =>
      reads(organization, () => {
        started += 1;
        return Promise.resolve();
      }),
    ),
  );
  assert.equal(started, 0);
  for (let before = 0; before < running.length; before = started) {
    await nextTurn();
    assert.ok(started - before <= 2, `${started - before} reads in one turn`);
  }
  await Promise.all(running);
});

test('reads beyond the queue of an organisation are refused until its reads end', async () => {
  const reads = createOwnReads({ concurrent: 1, queued: 1 });
  const { ends, read } = createRecorder();
  const running = [reads('acme', read('1')), reads('acme', read('2'))];
  await assert.rejects(reads('acme', read('3')), (error) => {
    assert.ok(error instanceof SpillwayError);
    assert.equal(error.code, 'RATE_LIMITED');
    assert.equal(error.params['scope'], 'organization');
    assert.equal(error.retryAfterMs, 1000);
    return true;
  });
  for (let ended = 0; ended < running.length; ended += 1) {
    await turns(5);
    ends.shift()?.();
  }
  await Promise.all(running);
  assert.equal(await reads('acme', () => Promise.resolve('again')), 'again');
});

test('a read that fails gives its slot to the next', async () => {
  const reads = createOwnReads({ concurrent: 1, queued: 1 });
  const failing = reads('acme', () => Promise.reject(new Error('store unavailable')));
  const next = reads('acme', () => Promise.resolve('read'));
  await assert.rejects(failing, /store unavailable/);
  assert.equal(await next, 'read');
});
