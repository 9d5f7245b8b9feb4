import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../test/support/stores/redis-rig.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryServerRegistry } from '../../adapters/memory/server-registry.ts';
import type { ReplicaTarget } from '../../cluster/scaling/desired-replicas.ts';
import { RECORD_LIFETIME_MS } from '../../cluster/server-registry.ts';
import { loadConfig } from '../../config/load-config.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { openScaling } from './open-scaling.ts';

const TARGET: ReplicaTarget = {
  role: 'worker',
  provider: 'gemini',
  current: 1,
  desired: 4,
  reasons: ['queue_depth'],
};

test('with two servers, the command and the webhook run once per change, and both servers show the metrics', async (context) => {
  const folder = makeTempFolder();
  const received: string[] = [];
  const webhook = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push(body);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  const lifecycle = createLifecycle();
  context.after(async () => {
    await lifecycle.close();
    webhook.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise((resolve) => webhook.once('listening', resolve));
  const { port } = webhook.address() as AddressInfo;
  const file = join(folder, 'targets');
  const script = `require('fs').appendFileSync(process.argv[1], require('fs').readFileSync(0) + '\\n')`;
  const config = loadConfig({
    env: { SCALING_WEBHOOK_URL: `http://127.0.0.1:${port}/` },
    cwd: folder,
  });
  const command = [process.execPath, '-e', script, file];
  const clock = createTestClock();
  const registry = createMemoryServerRegistry({ clock, lifetimeMs: RECORD_LIFETIME_MS });
  let targets = [{ ...TARGET, desired: 1 }];
  const metrics = ['a', 'b'].map((serverId) => {
    const own = createMetrics();
    openScaling(
      { ...config, scaling: { ...config.scaling, command } },
      {
        serverId,
        registry,
        targets: async () => targets,
        metrics: own,
        clock,
        log: silentLog,
        lifecycle,
      },
    );
    return own;
  });
  await clock.advance(10_000);
  targets = [TARGET];
  await clock.advance(10_000);
  await until(() => received.length === 1);
  await clock.advance(60_000);
  const message = JSON.stringify({ targets });
  assert.deepEqual(received, [message]);
  assert.ok(existsSync(file));
  assert.equal(readFileSync(file, 'utf8'), `${message}\n`);
  const shown = metrics.flatMap((own) =>
    own
      .collect()
      .filter(({ name }) => name === 'cluster.replicas.desired')
      .flatMap((metric) => [...metric.series.values()].map(({ cell }) => cell)),
  );
  assert.deepEqual(shown, [{ value: 4 }, { value: 4 }]);
});
