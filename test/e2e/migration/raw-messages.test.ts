// Messages of an existing system as they are: other names of fields, images without a prompt, fields that Spillway does not
// know. Results, dead letters, the provider's queue and the store keep what the producer sent.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import pg from 'pg';
import { finishSpillway } from '../../support/gateway/spillway-process.ts';
import { openTestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { eventually, type MigrationRig, openMigrationRig } from './migration-rig.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FILE = {
  jobs: {
    rawMessages: {
      id: 'analysis.id',
      images: 'photos[].url',
      promptTemplate: 'Describe the {{product}} in {{language|English}}.',
    },
  },
};
const MESSAGE = {
  analysis: { id: 'shoe-7', requestedAt: '2026-01-31' },
  photos: [{ url: PIXEL, angle: 'front' }],
  product: 'shoe',
  callbackTopic: 'shoes.done',
  big: 12_345_678_901_234_567_890n,
};
/** Unusual, so that a copy that was parsed and written again differs. */
const BODY = `{ "big": ${MESSAGE.big},\n ${JSON.stringify({ ...MESSAGE, big: undefined }).slice(1)}`;

suite('messages of an existing system', { timeout: 240_000 }, () => {
  let rig: MigrationRig;
  afterEach(() => rig.close());

  async function send(queue: string, body: string): Promise<void> {
    const properties = { persistent: true, contentType: 'application/vnd.acme+json' };
    rig.channel.sendToQueue(queue, Buffer.from(body), properties);
    await rig.channel.waitForConfirms();
  }

  /** The next message of a queue. */
  async function receive(queue: string) {
    await eventually(async () => (await rig.ready(queue)) > 0);
    const message = await rig.channel.get(queue, { noAck: true });
    return message || assert.fail(`${queue} is empty`);
  }

  async function nextDeadLetter(): Promise<Record<string, unknown>> {
    return JSON.parse((await receive(rig.queueOf('DLQ_QUEUE'))).content.toString('utf8'));
  }

  test('images without a prompt become a call, and the result has the fields of the producer', async () => {
    rig = await openMigrationRig(FILE);
    await rig.start(['serve']);
    await send(rig.queueOf('RAW_ANALYSIS_QUEUE'), BODY);
    await rig.allResults(['shoe-7']);
    const [result] = rig.results.get('shoe-7') ?? [];
    assert.ok(result);
    const { status, id, analysis, photos, callbackTopic, output } = result;
    assert.deepEqual([status, id, callbackTopic], ['succeeded', 'shoe-7', 'shoes.done']);
    assert.deepEqual([analysis, photos], [MESSAGE.analysis, MESSAGE.photos]);
    assert.equal(typeof output, 'string');
    const [call] = rig.simulator.log();
    assert.ok((call?.bodyBytes ?? 0) > PIXEL.length, 'the image was sent');
    const client = new pg.Client({ connectionString: rig.cluster.env['DATABASE_URL'] });
    await client.connect();
    const { rows } = await client.query('select message from job_payloads');
    await client.end();
    assert.equal(JSON.parse(rows[0].message).source.body, BODY);
  });

  test("with DISPATCH_PAYLOAD=message the provider's queue has the producer's bytes and content type", async () => {
    rig = await openMigrationRig(FILE, { DISPATCH_PAYLOAD: 'message' });
    await rig.start(['dispatcher']);
    await send(rig.queueOf('RAW_ANALYSIS_QUEUE'), BODY);
    const { content, properties } = await receive(rig.queueOf('GEMINI_QUEUE'));
    assert.equal(content.toString('utf8'), BODY);
    assert.equal(properties.contentType, 'application/vnd.acme+json');
    assert.match(properties.headers?.['x-spillway-job'], /^job_/);
    assert.equal(properties.headers?.['x-spillway-fence'], 2);
  });

  test('a failed message is a dead letter with its own fields and the error, and no result if so configured', async () => {
    rig = await openMigrationRig(
      {},
      { MAX_RETRY_ATTEMPTS: '0', RESULTS_INCLUDE_FAILURES: 'false' },
    );
    await rig.start(['serve']);
    const raw = rig.queueOf('RAW_ANALYSIS_QUEUE');
    rig.simulator.setScenario({ fault: 'invalid-request' });
    await send(raw, JSON.stringify({ AnalysisId: 'a', prompt: 'Hello', own: { b: [1] } }));
    const letter = await nextDeadLetter();
    const { error, ...fields } = letter;
    assert.deepEqual(fields, { AnalysisId: 'a', prompt: 'Hello', own: { b: [1] } });
    assert.ok(typeof error === 'object' && error !== null);
    const { code, timestamp, attempts, provider, queue } = { ...error } as Record<string, unknown>;
    assert.deepEqual(
      [code, attempts, provider, queue],
      ['INVALID_REQUEST', 1, 'gemini', rig.queueOf('GEMINI_QUEUE')],
    );
    assert.equal(new Date(String(timestamp)).toISOString(), timestamp);
    rig.simulator.resetScenario();
    await send(raw, JSON.stringify({ AnalysisId: 'b', prompt: 'Hello' }));
    await rig.allResults(['b']);
    assert.deepEqual([...rig.results.keys()], ['b']);
  });

  test('a poison message and a pointer to an unknown job are dead letters, and others are processed', async () => {
    rig = await openMigrationRig();
    await rig.start(['serve']);
    const queues = [rig.queueOf('RAW_ANALYSIS_QUEUE'), rig.queueOf('GEMINI_QUEUE')];
    const pointer = JSON.stringify({ spillwayJob: 'job_unknown', fence: 2 });
    for (const queue of queues) {
      await send(queue, '{ not JSON');
      await send(queue, pointer);
      await send(queue, JSON.stringify({ AnalysisId: queue, prompt: 'Hello', own: 1 }));
    }
    await rig.allResults(queues);
    const letters = [];
    for (let index = 0; index < 4; index += 1) letters.push(await nextDeadLetter());
    const unknown = letters.filter(({ spillwayJob }) => spillwayJob === 'job_unknown');
    assert.equal(unknown.length, 2);
    assert.equal(letters.filter(({ body }) => body === '{ not JSON').length, 2);
  });

  test('a second installation on the same queues is refused with one sentence', async () => {
    rig = await openMigrationRig();
    await rig.start(['serve']);
    const folder = makeTempFolder();
    const other = await openTestCluster(servicesFromEnv(process.env), folder);
    const own = ['RAW_ANALYSIS_QUEUE', 'GEMINI_QUEUE'].map((name) => [name, rig.queueOf(name)]);
    const ended = await finishSpillway(['serve'], {
      ...other.env,
      ...Object.fromEntries(own),
      SPILLWAY_DATA_DIR: folder,
    });
    await other.close();
    assert.notEqual(ended.code, 0);
    assert.match(ended.errors, /belongs to another Spillway store/);
    assert.equal(ended.errors.trim().split('\n').length, 1);
  });
});
