import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, afterEach, before, suite, test } from 'node:test';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { openDataFolder } from '../../adapters/files/data-folder.ts';
import { createLogRing } from '../../adapters/memory/log-ring.ts';
import { ensureDefaultOrganization } from '../../admission/organization-store.ts';
import { openCalls } from '../../app/open/open-calls.ts';
import { openSharedState } from '../../app/open/open-shared-state.ts';
import { openStore } from '../../app/open/open-store.ts';
import { loadConfig } from '../../config/load-config.ts';
import { withSimulator } from '../../config/providers/simulator-stand-in.ts';
import type { Job } from '../../jobs/model/job.ts';
import { systemClock as clock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog as log } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { createRunJob, type RunJobParts } from './run-job.ts';

const JOB: Job = {
  id: 'job',
  publicId: 'job',
  organizationId: 'default',
  origin: 'http',
  state: 'running',
  fence: 2,
  run: 1,
  attempts: 1,
  losses: 0,
  priority: 5,
  queue: 'q',
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  runAt: 0,
  publishedAt: 0,
  createdAt: 0,
  updatedAt: 0,
};
const MESSAGE = {
  request: { max_tokens: 500, stream: true, messages: [{ role: 'user', content: 'Hello' }] },
};
const WORDS = 'one two three four five six';
const STAYING = new AbortController().signal;

suite('a run that is a stream', () => {
  const lifecycle = createLifecycle();
  const dataDir = makeTempFolder();
  let simulator: Simulator;
  let parts: RunJobParts;
  let runs = 0;

  before(async () => {
    simulator = await startSimulator({ clock });
    const env = { SPILLWAY_DATA_DIR: dataDir };
    const config = withSimulator(loadConfig({ env, cwd: dataDir }), simulator.url);
    openDataFolder(dataDir);
    const store = await openStore({ ...config.storage, clock, log, lifecycle });
    await ensureDefaultOrganization(store.organizations, clock.now());
    const metrics = createMetrics();
    const serverId = 'server';
    const ring = createLogRing(log, clock, { capacity: 10 });
    const { storeId } = store.identity;
    const given = { ring, serverId, storeId, clock, metrics, lifecycle };
    const shared = await openSharedState(config, given);
    const context = { serverId, store, shared, metrics, clock, log, lifecycle };
    const calls = await openCalls(config, context);
    parts = { ...calls, midStream: 'restart' };
  });
  afterEach(() => {
    simulator.resetScenario();
    simulator.clearLog();
  });
  after(async () => {
    await lifecycle.close();
    await simulator.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A run of the same job with some parts changed. */
  function run(
    changed: Partial<RunJobParts> = {},
    onPartial: (text: string) => void = () => {},
    signal = STAYING,
  ) {
    runs += 1;
    const asked = { job: JOB, message: MESSAGE, runId: `job.${runs}`, reportPartial: onPartial };
    return createRunJob({ ...parts, ...changed })(asked, signal);
  }

  test('reports its output as it grows, and returns all of it', async () => {
    simulator.setScenario({ text: WORDS, chunks: 6, chunkDelayMs: 20 });
    const reported: string[] = [];
    const outcome = await run({}, (text) => reported.push(text));
    assert.ok(outcome.kind === 'succeeded', JSON.stringify(outcome));
    assert.equal(outcome.result.output, WORDS);
    assert.equal(reported.at(-1), WORDS);
    for (const [index, text] of reported.entries())
      assert.ok(text.startsWith(reported[index - 1] ?? ''));
  });

  test('fails and aborts its call if its answer is too large', async () => {
    simulator.setScenario({ fault: 'stall', text: WORDS.repeat(60), afterChunks: 60 });
    const attempts = { ...parts.attempts, maxAnswerBytes: 4000 };
    const outcome = await run({ attempts });
    assert.ok(outcome.kind === 'failed');
    assert.equal(outcome.verdict.code, 'NETWORK_TIMEOUT');
    await simulator.waitFor(({ abortedAt }) => abortedAt !== null);
  });

  test('is retryable or final after a cut, as configured', async () => {
    simulator.setScenario({ preset: 'cut', text: WORDS, chunks: 6 });
    for (const midStream of ['restart', 'error'] as const) {
      const outcome = await run({ midStream });
      assert.ok(outcome.kind === 'failed');
      const { verdict, isFinal } = outcome;
      assert.deepEqual([verdict.code, isFinal], ['NETWORK_TIMEOUT', midStream === 'error']);
    }
    simulator.setScenario({ preset: 'cut-before-content' });
    const early = await run({ midStream: 'error' });
    assert.ok(early.kind === 'failed');
    assert.equal(early.isFinal, false, 'nothing had come');
  });

  test("aborts the provider's response when it is stopped", async () => {
    simulator.setScenario({ fault: 'stall', text: WORDS, chunks: 6, afterChunks: 2 });
    const stopping = new AbortController();
    const outcome = await run({}, () => stopping.abort(new Error('cancelled')), stopping.signal);
    assert.equal(outcome.kind, 'failed');
    await simulator.waitFor(({ abortedAt }) => abortedAt !== null);
  });
});
