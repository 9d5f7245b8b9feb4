// All roles run with a Redis user that has the documented access list: Redis denies no command.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { administer, ask, chatAsk } from '../../support/gateway/call-rig.ts';
import { openTestCluster } from '../../support/gateway/test-cluster.ts';
import { runJob } from '../../support/jobs/run-job.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { startRedis } from '../../support/stores/redis-topology.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const PAGE = join(import.meta.dirname, '../../../docs/redis.md');

test('a server serves calls and jobs, learns limits and keeps logs with the documented access list', async (context) => {
  const line = /^user spillway (?:.*\\\n)*.*$/m.exec(readFileSync(PAGE, 'utf8'))?.[0] ?? '';
  const redis = await startRedis(() => [line.replaceAll(/\s*\\\n\s*/g, ' ')]);
  const outsider = new Redis({ port: redis.port });
  const { databaseUrl } = servicesFromEnv(process.env);
  const redisUrl = `redis://spillway:secret@127.0.0.1:${redis.port}`;
  const cluster = await openTestCluster(
    { databaseUrl, redisUrl, rabbitmqUrl: '' },
    tempFolder(context),
    { REDIS_KEY_PREFIX: 'spillway:', ENABLE_REDIS_LOGGING: 'true' },
  );
  const { url } = await cluster.start(['serve']);
  const operator = { url, adminKey: cluster.adminKey };
  const caller = { url, apiKey: cluster.apiKey };
  assert.equal((await ask(caller)).status, 200);
  assert.equal((await ask(caller, chatAsk({ stream: true }))).status, 200);
  assert.equal(await runJob(caller), 'succeeded');
  cluster.simulator.setScenario({ provider: 'anthropic', preset: 'server-error' });
  await Promise.all(Array.from({ length: 20 }, () => ask(caller)));
  cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
  assert.equal((await ask(caller, chatAsk())).status, 429);
  for (const path of ['limits', 'breakers', 'logs'])
    await administer(operator, 'GET', `/admin/${path}`);
  await administer(operator, 'DELETE', `/admin/limits/openai/${cluster.env['SERVER_REGION']}`);
  await cluster.close();
  assert.ok((await outsider.dbsize()) > 5, 'the server stores its shared state in this Redis');
  assert.deepEqual(await outsider.call('ACL', 'LOG'), []);
  outsider.disconnect();
  await redis.close();
});
