// The cluster makes one probe at a time: three processes on a real Redis.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openRedisRig, type RedisRig } from '../../../../test/support/stores/redis-rig.ts';

const CHILD = join(import.meta.dirname, '../../../../test/contract/breaker-child.ts');
const PROBES_EACH = 60;

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

test('three processes that call as fast as allowed never probe at the same time', async () => {
  const outputs = await Promise.all([runChild(), runChild(), runChild()]);
  const lines = outputs.join('').trim().split('\n');
  assert.equal(lines.length, 3 * PROBES_EACH);
  assert.deepEqual([...new Set(lines)], ['probe 1']);
});

function runChild(): Promise<string> {
  const child = spawn(process.execPath, [CHILD, rig.url, String(PROBES_EACH)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`a child ended with ${code}`));
    });
  });
}
