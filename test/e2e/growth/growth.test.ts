// Nothing grows by the input of callers: during each case of hostile load /health answers, and afterwards the process is as
// large as before. A whole process is measured, with the simulator as provider in another one.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { runSpillway, type SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { textAt } from '../../support/response-fields.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { healthDuring, medianOf } from './health-probe.ts';

const MIB = 2 ** 20;
const MAX_GROWTH_BYTES = 100 * MIB;
const MAX_MEDIAN_MS = 200;
/** A block of the process; a busy machine may delay a single answer, so a case may be repeated twice. */
const BLOCK_MS = 1000;
const TRIES = 3;
const ADMIN_KEY = 'an-admin-key-for-growth-0123456789abcdef';
const API_KEY = 'a-key-for-growth-0123456789';
const SETTINGS = 'prices: { fallback: { inputUsd: 1, outputUsd: 2 } }\n';

suite('growth', () => {
  const folder = makeTempFolder();
  let simulator: Simulator;
  let spillway: SpillwayProcess;
  let url = '';
  let poorKey = '';
  let baseBytes = 0;

  before(async () => {
    simulator = await startSimulator({ clock: systemClock, logCapacity: 10 });
    writeFileSync(join(folder, 'spillway.yaml'), SETTINGS);
    spillway = runSpillway(['serve', '--config', join(folder, 'spillway.yaml')], {
      SPILLWAY_DATA_DIR: folder,
      SPILLWAY_ADMIN_KEY: ADMIN_KEY,
      SPILLWAY_API_KEY: API_KEY,
      LOG_LEVEL: 'critical',
      OPENAI_API_KEY: 'provider-key',
      OPENAI_BASE_URL: `${simulator.url}/v1`,
      OPENAI_RATE_LIMIT: '1000000',
      EGRESS_ALLOW_HOSTS: '127.0.0.1',
    });
    url = await spillway.ready();
    await admin('PATCH', '/admin/orgs/default', { requestsPerMinute: 1e6, monthlyBudgetUsd: 1e6 });
    await admin('POST', '/admin/orgs', { id: 'poor', monthlyBudgetUsd: 0 });
    poorKey = textAt(await admin('POST', '/admin/orgs/poor/keys', {}), 'key');
    for (let count = 0; count < 200; count += 1) await call(JSON.stringify(BODY));
    baseBytes = residentBytes();
  });
  after(async () => {
    spillway.kill('SIGKILL');
    await spillway.ended();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function admin(method: string, path: string, body: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
  }

  async function call(
    body: string | Uint8Array,
    key = API_KEY,
    path = '/v1/chat/completions',
    encoding = 'identity',
  ) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    };
    const response = await fetch(url + path, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
    await response?.text().catch(() => {});
    return response?.status;
  }

  function residentBytes(): number {
    const status = readFileSync(`/proc/${spillway.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** An idle process returns its memory within seconds. */
  async function assertShrinks(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      if (residentBytes() - baseBytes < MAX_GROWTH_BYTES) return;
      await pause(1000);
    }
    const grown = Math.round((residentBytes() - baseBytes) / MIB);
    assert.fail(`${grown} MiB more than before`);
  }

  async function assertBounded(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const durations = await healthDuring(url, work);
      const longest = Math.max(...durations);
      assert.ok(medianOf(durations) < MAX_MEDIAN_MS, `median ${medianOf(durations)} ms`);
      if (longest < BLOCK_MS) break;
      assert.ok(
        attempt < TRIES,
        `/health took ${Math.round(longest)} ms in each of ${TRIES} tries`,
      );
    }
    await assertShrinks();
  }

  test('model names of 20 MiB', () =>
    assertBounded(async () => {
      const body = Buffer.from(`{"model":"gpt-${'x'.repeat(20 * MIB)}","messages":[]}`);
      for (let count = 0; count < 20; count += 1) assert.equal(await call(body), 400);
    }));

  test('small bodies that decompress to large ones', () =>
    assertBounded(async () => {
      const bomb = gzipSync(Buffer.alloc(200 * MIB, ' '));
      for (const path of ['/v1/chat/completions', '/v1/jobs', '/v1/jobs'])
        for (let round = 0; round < 2; round += 1)
          await Promise.all(
            Array.from({ length: 12 }, async () =>
              assert.equal(await call(bomb, API_KEY, path, 'gzip'), 413),
            ),
          );
    }));

  test('jobs of 30 MB', () =>
    assertBounded(async () => {
      const body = JSON.stringify({
        model: 'gpt-5-mini',
        prompt: '"quoted" text\n'.repeat(1_800_000),
      });
      for (let count = 0; count < 5; count += 1)
        assert.equal(await call(body, API_KEY, '/v1/jobs'), 202);
    }));

  test('JSON of millions of brackets', () =>
    assertBounded(async () => {
      const open = Buffer.from(`{"model":"gpt-5-mini","a":${'['.repeat(3_500_000)}`);
      const closed = Buffer.from(`${'['.repeat(3_500_000)}${']'.repeat(3_500_000)}`);
      for (let count = 0; count < 5; count += 1) {
        assert.equal(await call(open), 400);
        assert.equal(await call(closed, API_KEY, '/v1/jobs'), 400);
        assert.equal(await call(closed, API_KEY, '/v1/builds/b/events'), 400);
        assert.equal(await call(closed, ADMIN_KEY, '/admin/orgs'), 400);
      }
    }));

  for (const [who, keyOf] of [
    ['without budget', () => poorKey],
    ['with budget', () => API_KEY],
  ] as const)
    test(`unfinished uploads of an organisation ${who}`, () =>
      assertBounded(async () => {
        const piece = Buffer.alloc(MIB, ' ');
        const uploads = Array.from({ length: 25 }, () => beginUpload(keyOf(), 20 * MIB));
        for (let sent = 0; sent < 19; sent += 1)
          await Promise.all(uploads.map((upload) => written(upload, piece)));
        await pause(2000);
        for (const upload of uploads) upload.destroy();
      }));

  test('idle connections and refused requests', () =>
    assertBounded(async () => {
      const sockets = Array.from({ length: 500 }, () => idleConnection());
      for (let count = 0; count < 2000; count += 50)
        await Promise.all(Array.from({ length: 50 }, (_, at) => call('{', `guess-${count + at}`)));
      for (const socket of sockets) socket.destroy();
    }));

  test('jobs with images of a host that does not answer', () =>
    assertBounded(async () => {
      const images = Array.from({ length: 50 }, (_, at) => `http://127.0.0.1:9/${at}.png`);
      const body = JSON.stringify({ model: 'gpt-5-mini', prompt: 'Describe', images });
      for (let count = 0; count < 50; count += 1)
        assert.equal(await call(body, API_KEY, '/v1/jobs'), 202);
    }));

  test('headers as large as the parser accepts, and larger', () =>
    assertBounded(async () => {
      for (let count = 0; count < 400; count += 1)
        await fetch(`${url}/v1/models`, {
          headers: {
            authorization: `Bearer ${API_KEY}`,
            'x-user-id': 'u'.repeat(15_000 + count * 10),
          },
        })
          .then((response) => response.text())
          .catch(() => {});
    }));

  test('thousands of keys that do not exist', () =>
    assertBounded(async () => {
      for (let count = 0; count < 6000; count += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, at) =>
            call('{}', `sk-spill-${count + at}${'k'.repeat(8000)}`),
          ),
        );
    }));

  test('thousands of models and users', () =>
    assertBounded(async () => {
      for (let count = 0; count < 6000; count += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, at) =>
            call(JSON.stringify({ ...BODY, model: `gpt-${count + at}-${'m'.repeat(200)}` })),
          ),
        );
      const metrics = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      assert.ok((await metrics.text()).length < 500_000);
    }));

  function beginUpload(key: string, bytes: number): ClientRequest {
    const headers = { authorization: `Bearer ${key}`, 'content-length': bytes };
    const upload = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers,
    });
    // Each write waits for the close, too.
    upload.setMaxListeners(0);
    // A refused upload is reset.
    upload.on('error', () => {});
    upload.on('response', (response) => void response.resume());
    return upload;
  }

  function idleConnection(): Socket {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    return socket;
  }
});

const BODY = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] };

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when the bytes are sent, or the upload was refused. */
function written(upload: ClientRequest, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (upload.destroyed || upload.closed) return resolve();
    upload.once('close', () => resolve());
    upload.write(piece, () => resolve());
    return undefined;
  });
}
