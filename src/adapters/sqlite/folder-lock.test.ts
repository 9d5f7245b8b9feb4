import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { lockFolder } from './folder-lock.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'spillway-lock-'));
after(() => rmSync(parent, { recursive: true, force: true }));

describe('the lock of a data folder', () => {
  it('creates the folder, locks it and releases it once', () => {
    const folder = path.join(parent, 'new', 'folder');
    const first = lockFolder(folder);
    assert.equal(first.kind, 'locked');
    assert.deepEqual(lockFolder(folder), { kind: 'in_use', pid: process.pid });
    if (first.kind !== 'locked') return;
    first.release();
    first.release();
    const second = lockFolder(folder);
    assert.equal(second.kind, 'locked');
    if (second.kind === 'locked') second.release();
    assert.deepEqual(readdirSync(folder), ['spillway.lock']);
  });

  it('reports the process id of the owner, and is free as soon as the owner is killed', async () => {
    const folder = path.join(parent, 'killed');
    const owner = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', OWNER], {
      env: { LOCK_MODULE: import.meta.resolve('./folder-lock.ts'), LOCK_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(owner, 'exit');
    try {
      for await (const output of owner.stdout) if (String(output).includes('collected')) break;
      assert.deepEqual(lockFolder(folder), { kind: 'in_use', pid: owner.pid });
    } finally {
      owner.kill('SIGKILL');
      await exited;
    }
    const mine = lockFolder(folder);
    assert.equal(mine.kind, 'locked');
    if (mine.kind === 'locked') mine.release();
  });

  it('reports a folder that cannot be written', () => {
    const file = path.join(parent, 'a-file');
    writeFileSync(file, '');
    assert.equal(lockFolder(path.join(file, 'folder')).kind, 'unwritable');
  });
});

const OWNER = `
  const { lockFolder } = await import(process.env.LOCK_MODULE);
  console.log(lockFolder(process.env.LOCK_FOLDER).kind);
  globalThis.gc();
  console.log('collected');
  setInterval(() => {}, 1000);
`;
