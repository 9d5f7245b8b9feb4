// One organisation submits a hundred times as many jobs as each of nine others, over HTTP, under a provider limit that
// makes all jobs wait. The others' waits hardly change, on embedded storage and on PostgreSQL, Redis and RabbitMQ.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import { openTestCluster } from '../../support/gateway/test-cluster.ts';
import { TEST_ADMIN_KEY, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { CROWD_ENV, CROWD_SETTINGS, medianWaitMs } from '../../support/jobs/job-crowd.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

type Installation = Pick<TestGateway, 'url' | 'adminKey'> & { close(): Promise<void> };

suite('fairness among organisations', { timeout: 150_000, concurrency: 2 }, () => {
  for (const [where, open] of [
    ['embedded storage', openEmbedded],
    ['PostgreSQL, Redis and RabbitMQ', openGrown],
  ] as const)
    test(`on ${where} a busy organisation does not double the median wait of the others`, async (t) => {
      const folder = makeTempFolder();
      const file = join(folder, 'spillway.yaml');
      writeFileSync(file, CROWD_SETTINGS);
      const installation = await open(folder, ['serve', '--config', file]);
      t.after(async () => {
        await installation.close();
        rmSync(folder, { recursive: true, force: true });
      });
      const aloneMs = await medianWaitMs(installation, { isLoud: false });
      const besideMs = await medianWaitMs(installation, { isLoud: true });
      t.diagnostic(`median wait: ${aloneMs} ms alone, ${besideMs} ms beside the loud one`);
      assert.ok(besideMs <= 2 * aloneMs, `${besideMs} ms, ${aloneMs} ms alone`);
    });
});

async function openEmbedded(folder: string, role: readonly string[]): Promise<Installation> {
  const simulator = await startSimulator({ clock: systemClock });
  const process = runSpillway(role, {
    ...CROWD_ENV,
    SPILLWAY_DATA_DIR: join(folder, 'data'),
    SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
    ANTHROPIC_API_KEY: 'provider-key',
    ANTHROPIC_BASE_URL: simulator.url,
  });
  return {
    url: await process.ready(),
    adminKey: TEST_ADMIN_KEY,
    async close() {
      process.kill('SIGTERM');
      await process.ended();
      await simulator.close();
    },
  };
}

async function openGrown(folder: string, role: readonly string[]): Promise<Installation> {
  const cluster = await openTestCluster(servicesFromEnv(process.env), folder, CROWD_ENV);
  const { url } = await cluster.start(role);
  return { url, adminKey: cluster.adminKey, close: () => cluster.close() };
}
