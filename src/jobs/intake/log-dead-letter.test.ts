import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogEntry, silentLog } from '../../kernel/log.ts';
import { logDeadLetter } from './log-dead-letter.ts';

test('a dead letter is logged by its ids and code, without its body and internal text', () => {
  const entries: LogEntry[] = [];
  const log = { ...silentLog, write: (entry: LogEntry) => void entries.push(entry) };
  logDeadLetter(log, {
    id: 'dl_1',
    jobId: 'job_1',
    organizationId: 'acme',
    queue: 'raw',
    body: '{"prompt":"canary"}',
    errorCode: 'PROVIDER_UNAVAILABLE',
    errorMessage: 'canary of the provider',
    attempts: 3,
    createdAt: 0,
  });
  const [entry] = entries;
  assert.deepEqual([entry?.level, entry?.type], ['error', 'error']);
  assert.equal(entry?.metadata?.['event'], 'dead_letter');
  assert.equal(entry?.metadata?.['code'], 'PROVIDER_UNAVAILABLE');
  assert.ok(!JSON.stringify(entries).includes('canary'));
});
