import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { reportingLog } from '../../kernel/notify/failure-reports.ts';
import { openSentryReports } from './failure-reports.ts';

/** A local stand-in for Sentry's ingest: it records the envelopes. */
const envelopes: string[] = [];
let ingest: Server;
let dsn: string;
let notify = () => {};

before(async () => {
  ingest = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isZipped = request.headers['content-encoding'] === 'gzip';
      envelopes.push((isZipped ? gunzipSync(body) : body).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      notify();
    });
  });
  ingest.listen(0, '127.0.0.1');
  await once(ingest, 'listening');
  const address = ingest.address();
  dsn = `http://public@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/42`;
});
after(() => ingest.close());

async function envelopesUntil(count: number): Promise<void> {
  while (envelopes.length < count)
    await new Promise<void>((resolve) => {
      notify = resolve;
    });
}

test('failures reach Sentry with code, provider and model, and nothing of the request', async () => {
  const reports = await openSentryReports({
    dsn,
    serverId: 'srv-1',
    release: '0.1.0',
    clock: systemClock,
  });
  const log = reportingLog(silentLog, reports);
  log.write({
    level: 'warn',
    type: 'request',
    message: 'canary-text of the provider',
    requestId: 'req_1',
    metadata: {
      code: 'PROVIDER_UNAVAILABLE',
      provider: 'openai',
      model: 'gpt-5',
      userId: 'canary-user',
      promptPreview: 'canary-prompt',
    },
  });
  const { stack } = new Error('canary-secret');
  log.write({ level: 'error', type: 'error', message: 'canary', metadata: { stack } });
  for (const code of ['RATE_LIMITED', 'INVALID_REQUEST', 'AI_LIMIT_REACHED'])
    log.write({ level: 'warn', type: 'request', message: 'canary', metadata: { code } });
  await envelopesUntil(2);
  await reports.close();
  assert.equal(envelopes.length, 2);
  const sent = envelopes.join('\n');
  assert.doesNotMatch(sent, /canary/);
  assert.doesNotMatch(sent, /"(breadcrumbs|request|user|env|modules)"/);
  assert.match(sent, /"tags":\{"code":"PROVIDER_UNAVAILABLE","provider":"openai","model":"gpt-5"/);
  assert.match(sent, /"filename":"src\/adapters\/sentry\/failure-reports.test.ts"/);
});

test('a failure that repeats is sent ten times a minute', async () => {
  envelopes.length = 0;
  const options = { dsn, serverId: 'srv-1', release: '0.1.0', clock: systemClock };
  const reports = await openSentryReports(options);
  const failure = {
    message: 'INTERNAL',
    level: 'error',
    code: 'INTERNAL',
    provider: undefined,
    model: undefined,
    requestId: undefined,
    frames: [],
  } as const;
  for (let count = 0; count < 50; count += 1) reports.report(failure);
  await envelopesUntil(10);
  await reports.close();
  assert.equal(envelopes.length, 10);
});
