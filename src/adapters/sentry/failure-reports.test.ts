import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTextSink, type TextSink } from '../../../test/support/telemetry/text-sink.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { reportingLog } from '../../kernel/notify/failure-reports.ts';
import { openSentryReports } from './failure-reports.ts';

let ingest: TextSink;
let dsn: string;

before(async () => {
  ingest = await startTextSink();
  dsn = `http://public@127.0.0.1:${ingest.port}/42`;
});
after(() => ingest.close());

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
  await ingest.until(() => ingest.requests.length >= 2);
  await reports.close();
  assert.equal(ingest.requests.length, 2);
  const sent = ingest.requests.map(({ body }) => body).join('\n');
  assert.doesNotMatch(sent, /canary/);
  assert.doesNotMatch(sent, /"(breadcrumbs|request|user|env|modules)"/);
  assert.match(sent, /"tags":\{"code":"PROVIDER_UNAVAILABLE","provider":"openai","model":"gpt-5"/);
  assert.match(sent, /"filename":"src\/adapters\/sentry\/failure-reports.test.ts"/);
});

test('a failure that repeats is sent ten times a minute', async () => {
  const earlier = ingest.requests.length;
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
  await ingest.until(() => ingest.requests.length >= earlier + 10);
  await reports.close();
  assert.equal(ingest.requests.length, earlier + 10);
});
