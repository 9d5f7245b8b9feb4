// `compat: plan` as one process on a real broker: a message over the limit waits 30 s in the delayed queue of its own
// provider although another provider is free, and a failure goes only to the dead-letter queue.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { until } from '../../support/budgets/money-cluster.ts';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { openRabbitRig } from '../../support/stores/rabbit-rig.ts';

const LIMIT = 2;
const MESSAGES = 5;
const REFUSED = 'refused-analysis';

test('overflow waits 30 s for its provider, and failures go only to the dead-letter queue', async (context) => {
  const { rabbitmqUrl } = servicesFromEnv(process.env);
  const rig = await openRabbitRig(rabbitmqUrl);
  const simulator = await startSimulator({ clock: systemClock });
  const folder = mkdtempSync(join(tmpdir(), 'spillway-compat-'));
  const raw = rig.name('raw');
  const results = rig.name('results');
  const letters = rig.name('dlq');
  const gemini = rig.name('gemini');
  const delayed = rig.name('gemini-delayed-30000ms');
  const server = runSpillway(['serve'], {
    SPILLWAY_COMPAT: 'plan',
    SPILLWAY_DATA_DIR: folder,
    LOG_LEVEL: 'critical',
    RABBITMQ_URL: rabbitmqUrl,
    RAW_ANALYSIS_QUEUE: raw,
    RESULTS_QUEUE: results,
    DLQ_QUEUE: letters,
    GEMINI_QUEUE: gemini,
    OPENAI_QUEUE: rig.name('openai'),
    ANTHROPIC_QUEUE: rig.name('anthropic'),
    GEMINI_API_KEY: 'provider-key',
    OPENAI_API_KEY: 'provider-key',
    GEMINI_BASE_URL: simulator.url,
    OPENAI_BASE_URL: `${simulator.url}/v1`,
    PROVIDER_SELECTION_STRATEGY: 'COST_OPTIMIZED',
    PROVIDER_PRIORITY_ORDER: 'gemini,openai',
    GEMINI_RATE_LIMIT: String(LIMIT),
  });
  context.after(async () => {
    server.kill('SIGKILL');
    await server.ended();
    await simulator.close();
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await server.ready();
  simulator.setScenario({ provider: 'gemini', times: 1, fault: 'invalid-request' });

  for (let index = 0; index < MESSAGES; index += 1) {
    const id = index === 0 ? REFUSED : `analysis-${index}`;
    const body = JSON.stringify({ AnalysisId: id, prompt: 'Hello' });
    await rig.queue.publish(raw, { id, body });
  }
  await until('the overflow is delayed', async () => (await ready(delayed)) === MESSAGES - LIMIT);
  await until('a result is published', async () => (await ready(results)) === LIMIT - 1);
  await until('the failure is a dead letter', async () => (await ready(letters)) === 1);
  assert.equal(await ready(results), LIMIT - 1);
  assert.deepEqual(
    simulator.log().map(({ provider }) => provider),
    ['gemini', 'gemini'],
  );

  /** The messages on the queue; 0 before the queue exists. */
  async function ready(queue: string): Promise<number> {
    const declared = await rig.outsider
      .withChannel((channel) => channel.queueDeclare({ queue, passive: true }))
      .catch(() => undefined);
    return declared?.messageCount ?? 0;
  }
});
