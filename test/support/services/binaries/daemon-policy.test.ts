// Tests the hook script of apt-get on a temporary file instead of the machine's policy.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./daemon-policy.sh', import.meta.url));

async function withPolicy(
  check: (policy: string, run: (verb: string) => void) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-policy-'));
  const policy = join(folder, 'policy-rc.d');
  const env = { PATH: process.env['PATH'], SPILLWAY_POLICY_FILE: policy };
  const run = (verb: string) => {
    const { status, stderr } = spawnSync('sh', [script, verb], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  try {
    await check(policy, run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('hold forbids every daemon start, and release leaves no trace', async () => {
  await withPolicy(async (policy, run) => {
    run('hold');
    assert.equal(spawnSync(policy, ['redis-server', 'start']).status, 101);
    run('release');
    assert.equal(existsSync(policy), false);
  });
});

test('an existing policy is restored, even after an interrupted installation', async () => {
  await withPolicy(async (policy, run) => {
    await writeFile(policy, '#!/bin/sh\nexit 104\n', { mode: 0o755 });
    run('hold');
    run('hold');
    assert.equal(spawnSync(policy).status, 101);
    run('release');
    assert.equal(await readFile(policy, 'utf8'), '#!/bin/sh\nexit 104\n');
    run('release');
    assert.deepEqual(await readdir(join(policy, '..')), ['policy-rc.d']);
  });
});
