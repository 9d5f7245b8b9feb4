import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResponseHead } from './response-head.ts';

test('a response has its own field names, whichever names the response before had at their places', () => {
  const head = (...fields: string[]) =>
    readResponseHead(['HTTP/1.1 204 No Content', ...fields].join('\r\n')).headers;
  assert.deepEqual({ ...head('X-Abc: 1', 'Date: 2') }, { 'x-abc': '1', date: '2' });
  assert.deepEqual({ ...head('X-Abd: 3', 'Date: 4') }, { 'x-abd': '3', date: '4' });
  assert.deepEqual({ ...head('X-Abd-More: 5', 'Dat: 6') }, { 'x-abd-more': '5', dat: '6' });
  assert.deepEqual({ ...head('x-abd-more: 7') }, { 'x-abd-more': '7' });
  assert.throws(() => head('x-abd more: 8'));
});
