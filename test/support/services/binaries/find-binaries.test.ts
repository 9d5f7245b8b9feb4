import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findBinaries } from './find-binaries.ts';

async function withPrograms(
  files: readonly string[],
  check: (root: string) => void | Promise<void>,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spillway-find-')));
  try {
    for (const file of files) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), '#!/bin/sh\n', { mode: 0o755 });
    }
    await check(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test('the newest PostgreSQL with both programs is chosen', async () => {
  const files = ['pg/9/bin/postgres', 'pg/9/bin/initdb', 'pg/15/bin/postgres', 'pg/15/bin/initdb'];
  await withPrograms([...files, 'pg/16/bin/psql', 'pg/16/bin/postgres'], (root) => {
    const { postgres } = findBinaries({ PATH: '' }, [join(root, 'pg/*/bin')]);
    assert.equal(postgres?.server, join(root, 'pg/15/bin/postgres'));
    assert.equal(postgres?.initdb, join(root, 'pg/15/bin/initdb'));
  });
});

test('RabbitMQ is found by its inner script, never by the wrapper that changes user', async () => {
  const files = ['lib/rabbitmq-script-wrapper', 'sbin/erl', 'sbin/epmd', 'inner/rabbitmq-server'];
  await withPrograms(files, async (root) => {
    const PATH = join(root, 'sbin');
    await symlink(join(root, 'lib/rabbitmq-script-wrapper'), join(PATH, 'rabbitmq-server'));
    assert.equal(findBinaries({ PATH }, []).rabbitmq, undefined);
    const { rabbitmq } = findBinaries({ PATH }, [join(root, 'inner')]);
    assert.equal(rabbitmq?.server, join(root, 'inner/rabbitmq-server'));
    assert.equal(rabbitmq?.epmd, join(PATH, 'epmd'));
  });
});

test('CHROMIUM_PATH takes precedence over an installed Chromium', async () => {
  await withPrograms(['bin/chromium'], (root) => {
    const PATH = join(root, 'bin');
    assert.equal(findBinaries({ PATH }, []).chromium?.path, join(PATH, 'chromium'));
    const given = findBinaries({ PATH, CHROMIUM_PATH: '/opt/mine' }, []);
    assert.equal(given.chromium?.path, '/opt/mine');
  });
});
