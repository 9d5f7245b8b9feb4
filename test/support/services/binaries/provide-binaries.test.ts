import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServices } from '../start-services.ts';
import { provideBinaries } from './provide-binaries.ts';

const nowhere = { env: { PATH: '', SPILLWAY_NO_INSTALL: '1' }, log: () => {}, usualFolders: [] };

test('without programs on the PATH and with installation forbidden, one message names the missing ones', async () => {
  const wanted = ['redis', 'rabbitmq', 'postgres', 'chromium'] as const;
  await assert.rejects(startServices({ ...nowhere, wanted }), {
    message:
      'Missing on this machine: Redis, RabbitMQ, PostgreSQL and Chromium ' +
      '(SPILLWAY_NO_INSTALL=1 forbids installing); install with ' +
      '`apt-get install redis-server rabbitmq-server postgresql chromium` on Debian or ' +
      '`brew install redis rabbitmq postgresql@17 chromium` on macOS, or set ' +
      'REDIS_URL, RABBITMQ_URL, DATABASE_URL and CHROMIUM_PATH to what you have.',
  });
});

test('a program that is not needed is not reported as missing', async () => {
  assert.deepEqual(await provideBinaries([], nowhere), {});
  await assert.rejects(
    provideBinaries(['redis'], nowhere),
    /^Error: Missing on this machine: Redis \(/,
  );
});
