import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryBreakerBoard } from '../adapters/memory/breaker-board.ts';
import { createMemoryHeadroomExchange } from '../adapters/memory/headroom-exchange.ts';
import { createMemoryProviderLimits } from '../adapters/memory/provider-limits.ts';
import { createJobQueue } from '../adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../adapters/sql/queue/queue-signals.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { openHeadroom } from '../admission/headroom.ts';
import { loadFrom } from '../config/load-config.ts';
import { sourcesFrom } from '../config/sources.ts';
import { newId } from '../kernel/ids.ts';
import { silentLog } from '../kernel/log.ts';
import { BREAKER_DEFAULTS } from '../resilience/circuit-breaker.ts';
import { openProviderLoads } from './provider-loads.ts';

const ENV = {
  GEMINI_API_KEY: 'g',
  OPENAI_API_KEY: 'o',
  GEMINI_RATE_LIMIT: '100',
  OPENAI_RATE_LIMIT: '100',
};
const GEMINI = { provider: 'gemini', account: 'default', region: 'us-east', model: 'gemini-2.5' };

async function rig() {
  const clock = createTestClock();
  const { config } = loadFrom(sourcesFrom({ env: ENV, cwd: '/' }));
  const store = await openSqlite(':memory:');
  const parts = { ...store, signals: createQueueSignals(), clock, log: silentLog, newId };
  const queue = createJobQueue(parts);
  const limits = createMemoryProviderLimits(clock);
  const headroom = await openHeadroom({ clock, exchange: createMemoryHeadroomExchange() });
  const breakers = createMemoryBreakerBoard({
    rules: BREAKER_DEFAULTS,
    clock,
    newProbeId: () => newId('att'),
    longestCallMs: 600_000,
    onTransition: () => {},
  });
  const serve = { headroom, breakers, limits, clock };
  const loads = openProviderLoads(config, { queues: { queue, areShared: false }, serve });
  const read = async () => Object.fromEntries(await loads.read());
  return { clock, store, queue, limits, headroom, breakers, read, config };
}

test('loads follow the real depth of the queues, ready and delayed, from the next second on', async () => {
  const { clock, store, queue, read, config } = await rig();
  assert.deepEqual(await read(), { openai: 0.01, gemini: 0.01 });
  const { queue: name } = config.providers.gemini;
  for (let index = 0; index < 40; index += 1)
    await queue.publish(name, { id: String(index), body: '{}' }, { delayMs: index * 1000 });
  assert.equal((await read())['gemini'], 0.01);
  await clock.advance(1000);
  assert.equal((await read())['gemini'], 0.41);
  await store.close();
});

test('low headroom, a limit and an open circuit of an account raise the load immediately', async () => {
  const { store, limits, headroom, breakers, clock, read } = await rig();
  headroom.learn(GEMINI, {
    'x-ratelimit-limit-requests': '1000',
    'x-ratelimit-remaining-requests': '250',
    'x-ratelimit-reset-requests': '1m0s',
  });
  assert.deepEqual(await read(), { openai: 0.01, gemini: 0.04 });
  const [setBy, setAt] = ['test', clock.now()];
  const { provider, region } = GEMINI;
  const resetAt = setAt + 60_000;
  await limits.set({ provider, region, resetAt, setBy, setAt, kind: 'learnt' });
  assert.equal((await read())['gemini'], Number.POSITIVE_INFINITY);
  const pass = { key: { provider: 'openai', region }, probe: undefined };
  for (let call = 0; call < 5; call += 1) breakers.report(pass, 'failure');
  assert.equal((await read())['openai'], Number.POSITIVE_INFINITY);
  await store.close();
});
