import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogEntry, logFailure, silentLog } from './log.ts';

function capture(): { readonly entries: LogEntry[]; readonly log: typeof silentLog } {
  const entries: LogEntry[] = [];
  return { entries, log: { ...silentLog, write: (entry) => void entries.push(entry) } };
}

test('a failure is logged as an error with the text of its cause', () => {
  const { entries, log } = capture();
  logFailure(log, 'the lease of a job was not renewed', new Error('connection reset'));
  const [message, metadata] = [
    'the lease of a job was not renewed',
    { reason: 'connection reset' },
  ];
  assert.deepEqual(entries, [{ level: 'error', type: 'error', message, metadata }]);
});

test('a failure takes its level, request and further metadata from the caller', () => {
  const { entries, log } = capture();
  const details = { level: 'warn', requestId: 'req_1', metadata: { queue: 'raw' } } as const;
  logFailure(log, 'the queue was not read', 'closed', details);
  const metadata = { queue: 'raw', reason: 'closed' };
  const message = 'the queue was not read';
  assert.deepEqual(entries, [
    { level: 'warn', type: 'error', requestId: 'req_1', message, metadata },
  ]);
});
