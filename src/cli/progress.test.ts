import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from './progress.ts';

function terminal(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

test('a terminal gets one line with a bar, which is overwritten and removed', () => {
  const stream = terminal(true);
  const progress = createProgress(stream);
  progress.show('redis', 5, 10);
  progress.show('working');
  progress.clear();
  assert.deepEqual(stream.written, [
    '\r\u001b[2K[##########----------] 5/10 redis',
    '\r\u001b[2Kworking',
    '\r\u001b[2K',
  ]);
});

test('a line is shorter than the terminal is wide, so that it never wraps', () => {
  const stream = terminal(true, 10);
  createProgress(stream).show('a long text of a step', 0, 0);
  assert.equal(stream.written[0]?.replace('\r\u001b[2K', '').length, 9);
});

test('a pipe gets nothing', () => {
  const stream = terminal(false);
  const progress = createProgress(stream);
  progress.show('redis', 5, 10);
  progress.clear();
  assert.deepEqual(stream.written, []);
});
