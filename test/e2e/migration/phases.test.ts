// The phases of a migration from an existing system to Spillway, each with a killed process of either side and a rollback. In
// every phase each message is answered for one system only and has a result. The truth log of the provider is the judge: it
// distinguishes the systems by their keys and the messages by their prompts. Calls are at least once within a system: a
// worker that is killed after its answer and before it has stored it calls again.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import {
  eventually,
  killed,
  type MigrationRig,
  MODEL,
  messageOf,
  openMigrationRig,
  type System,
  stopped,
} from './migration-rig.ts';

const CONCURRENCY = 4;
const CALL_MS = 40;

/** Short, so that the jobs of a killed worker are requeued soon. */
const FILE = { jobs: { leaseMs: 5000 } };
const SHARED = {
  DISPATCH_PAYLOAD: 'message',
  GEMINI_RATE_LIMIT: '100000',
  RATE_LIMIT_DELAY_MS: '1000',
  WORKER_CONCURRENCY: String(CONCURRENCY),
};
const DRAINING = { JOB_INTAKE_ENABLED: 'false' };
const WORKER = ['worker', '--provider', 'gemini'];

suite('migration from an existing system', { timeout: 600_000 }, () => {
  let rig: MigrationRig;
  afterEach(() => rig.close());

  async function begin(env: Record<string, string> = {}, gemini: object = {}): Promise<void> {
    rig = await openMigrationRig({ ...FILE, providers: { gemini } }, { ...SHARED, ...env });
    rig.simulator.setScenario({ latencyMs: CALL_MS });
  }

  /** Kills a process while a call of its system is in flight: no call is answered that fast. */
  async function killInCall(process: Parameters<typeof killed>[0], system: System): Promise<void> {
    rig.simulator.setScenario({ latencyMs: 3000 });
    await rig.nextCall(system);
    await killed(process);
    rig.simulator.setScenario({ latencyMs: CALL_MS });
  }

  /** Every message was answered for exactly one system and has a result; returns that system by message. */
  async function assertProcessedOnce(ids: readonly string[]): Promise<ReadonlyMap<string, System>> {
    await rig.allResults(ids);
    // A second copy of a message would still be on a queue.
    const queues = ['RAW_ANALYSIS_QUEUE', 'GEMINI_QUEUE'].map((each) => rig.queueOf(each));
    for (const queue of [...queues, `${queues[1]}-pointers`])
      await eventually(async () => (await rig.ready(queue)) === 0);
    const calls = [...rig.answeredCalls(ids)];
    const wrong = calls.filter(([, { ours, theirs }]) => (ours === 0) === (theirs === 0));
    assert.deepEqual(wrong, [], 'not exactly one system');
    const repeated = calls.filter(([, { ours, theirs }]) => ours + theirs > 1);
    assert.ok(repeated.length <= CONCURRENCY, `called twice: ${JSON.stringify(repeated)}`);
    assert.equal(await rig.ready(rig.queueOf('DLQ_QUEUE')), 0);
    return new Map(calls.map(([id, { ours }]) => [id, ours > 0 ? 'ours' : 'theirs']));
  }

  function processedBy(systems: ReadonlyMap<string, System>, ids: readonly string[]): Set<System> {
    return new Set(ids.flatMap((id) => systems.get(id) ?? []));
  }

  test("phase 1, Spillway's dispatcher with existing workers: kills on both sides, then back", async () => {
    await begin();
    const first = await rig.publish(150);
    const dispatcher = await rig.start(['dispatcher']);
    const worker = await rig.startTheirs('worker');
    await rig.nextCall('theirs');
    const second = await rig.publish(150);
    await killed(dispatcher);
    await killInCall(worker, 'theirs');
    await rig.startTheirs('worker');
    const draining = await rig.start(['dispatcher'], DRAINING);
    const theirs = await rig.startTheirs('dispatcher');
    const third = await rig.publish(50);
    const ids = [...first, ...second, ...third];
    const systems = await assertProcessedOnce(ids);
    assert.deepEqual(processedBy(systems, ids), new Set(['theirs']));
    await stopped(draining);
    await theirs.stop();
  });

  test("phase 2, Spillway's workers beside existing workers: kills on both sides, then back to phase 1", async () => {
    await begin();
    await rig.start(['dispatcher']);
    const theirs = await rig.startTheirs('worker');
    const ours = await rig.start(WORKER);
    const first = await rig.publish(200);
    await killInCall(ours, 'ours');
    await killInCall(theirs, 'theirs');
    const [again] = await Promise.all([rig.start(WORKER), rig.startTheirs('worker')]);
    const second = await rig.publish(100);
    await rig.nextCall('ours');
    await stopped(again);
    // Jobs that Spillway has taken over stay its own; new messages are left to the existing workers.
    await rig.start(WORKER, DRAINING);
    const systems = await assertProcessedOnce([...first, ...second]);
    assert.deepEqual(processedBy(systems, first), new Set(['ours', 'theirs']));
    const third = await rig.publish(30);
    const all = await assertProcessedOnce([...first, ...second, ...third]);
    assert.deepEqual(processedBy(all, third), new Set(['theirs']));
  });

  test("phase 3, Spillway's workers alone: a kill, back to phase 2, and on to pointers", async () => {
    await begin();
    const dispatcher = await rig.start(['dispatcher']);
    const ours = await rig.start(WORKER);
    const first = await rig.publish(100);
    await killInCall(ours, 'ours');
    await rig.start(WORKER);
    const alone = await assertProcessedOnce(first);
    assert.deepEqual(processedBy(alone, first), new Set(['ours']));
    const theirs = await rig.startTheirs('worker');
    const second = await rig.publish(100);
    await rig.nextCall('theirs');
    await theirs.stop();
    await assertProcessedOnce([...first, ...second]);
    await killed(dispatcher);
    await rig.start(['serve'], { DISPATCH_PAYLOAD: 'pointer', PROVIDER_FIXED: 'gemini' });
    const third = await rig.publish(50);
    const all = await assertProcessedOnce([...first, ...second, ...third]);
    assert.deepEqual(processedBy(all, third), new Set(['ours']));
  });

  test('messages that wait for an exact delay when the dispatcher is killed go back to existing workers', async () => {
    await begin({ GEMINI_RATE_LIMIT: '40', RATE_LIMIT_DELAY_MS: '' }, { windowMs: 4000 });
    const dispatcher = await rig.start(['dispatcher']);
    const ids = await rig.publish(120);
    await rig.startTheirs('worker');
    await rig.allResults(ids, 50);
    await killed(dispatcher);
    await rig.start(['dispatcher'], DRAINING);
    await rig.startTheirs('dispatcher', { RATE_LIMIT_DELAY_MS: '1000' });
    const systems = await assertProcessedOnce(ids);
    assert.deepEqual(processedBy(systems, ids), new Set(['theirs']));
  });

  test("callers' jobs are processed by Spillway while existing workers consume the provider's queue", async () => {
    await begin();
    await rig.startTheirs('worker');
    const ids = Array.from({ length: 10 }, (_, index) => `B${index}`);
    const gateway = await rig.startGateway();
    for (const id of ids) await gateway.submit({ ...messageOf(id), model: MODEL });
    await gateway.allSucceeded(ids);
    const systems = [...rig.answeredCalls(ids)].filter(([, { theirs }]) => theirs > 0);
    assert.deepEqual(systems, []);
    assert.equal(await rig.ready(rig.queueOf('DLQ_QUEUE')), 0);
  });

  test("in the other order, Spillway's workers behind an existing dispatcher: kills on both sides, then back", async () => {
    await begin({ GEMINI_RATE_LIMIT: '100' });
    const dispatcher = await rig.startTheirs('dispatcher');
    const theirs = await rig.startTheirs('worker');
    const ours = await rig.start(WORKER, { GEMINI_RATE_LIMIT: '100000' });
    const first = await rig.publish(150);
    await killInCall(ours, 'ours');
    await killInCall(theirs, 'theirs');
    await rig.start(WORKER, { ...DRAINING, GEMINI_RATE_LIMIT: '100000' });
    await rig.startTheirs('worker');
    const second = await rig.publish(50);
    const systems = await assertProcessedOnce([...first, ...second]);
    assert.ok(processedBy(systems, first).has('ours'));
    await dispatcher.stop();
  });
});
