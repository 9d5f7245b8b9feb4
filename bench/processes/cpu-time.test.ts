import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuNanos, parseCpuTime } from './cpu-time.ts';

test('CPU times are read as ps writes them', () => {
  assert.equal(parseCpuTime('1:02.50'), 62.5);
  assert.equal(parseCpuTime('2-01:00:01'), 176_401);
});

test('the CPU time of a process is known and never goes back', async () => {
  const before = await cpuNanos(process.pid);
  assert.ok(before > 0);
  assert.ok((await cpuNanos(process.pid)) >= before);
});
