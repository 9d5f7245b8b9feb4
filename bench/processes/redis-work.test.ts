import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandStats, workBetween } from './redis-work.ts';

const STATS = [
  '# Commandstats',
  'cmdstat_evalsha:calls=12,usec=340,usec_per_call=28.33,rejected_calls=0,failed_calls=0',
  'cmdstat_zadd:calls=40,usec=80,usec_per_call=2.00,rejected_calls=0,failed_calls=0',
  'cmdstat_client|setinfo:calls=2,usec=4,usec_per_call=2.00,rejected_calls=0,failed_calls=0',
  'cmdstat_info:calls=9,usec=90,usec_per_call=10.00,rejected_calls=0,failed_calls=0',
  '',
].join('\r\n');

test('INFO commands are not counted, and scripts are counted separately', () => {
  assert.deepEqual(parseCommandStats(STATS), { commands: 54, scripts: 12 });
});

test('a fresh Redis has run no commands and no scripts', () => {
  assert.deepEqual(parseCommandStats('# Commandstats\r\n'), { commands: 0, scripts: 0 });
});

test('the work between two readings is their difference', () => {
  const before = { commands: 10, scripts: 2 };
  assert.deepEqual(workBetween(before, { commands: 54, scripts: 12 }), {
    commands: 44,
    scripts: 10,
  });
});
