import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../log.ts';
import { createLineEncoder, decodeLine } from './log-line.ts';

const ENTRY: LogEntry = {
  level: 'warn',
  type: 'request',
  message: 'line "one"\nline two é',
  requestId: 'req_1',
  metadata: { model: 'm', costUsd: 0.25, streamed: false },
};

test('a decoded line equals its entry, with the time of its encoding', () => {
  const encode = createLineEncoder('srv-1');
  assert.deepEqual(decodeLine(encode(ENTRY, 1_795_000_000_123)), {
    ...ENTRY,
    at: 1_795_000_000_123,
  });
  const plain: LogEntry = { level: 'info', type: 'error', message: 'plain' };
  assert.deepEqual(decodeLine(encode(plain, 7)), { ...plain, at: 7 });
});

test('a line ends with its only line break', () => {
  const line = createLineEncoder('srv-1')(ENTRY, 0);
  assert.equal(line.indexOf('\n'), line.length - 1);
});
