import assert from 'node:assert/strict';
import test from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { OpenEntry } from './truth-entry.ts';
import { TruthLog } from './truth-log.ts';

const FACTS: Omit<OpenEntry, 'sequence' | 'startedAt'> = {
  finishedAt: null,
  abortedAt: null,
  provider: 'anthropic',
  dialect: 'anthropic',
  operation: 'messages',
  method: 'POST',
  path: '/v1/messages',
  model: null,
  stream: false,
  credentialHash: null,
  status: null,
  outcome: 'pending',
  chunksSent: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  headerNames: [],
  requestId: null,
  idempotencyKey: null,
  bodyBytes: 0,
  bodyDigest: null,
  scenario: 'default',
};

test('the ring keeps the newest entries in order, the totals keep all', () => {
  const log = new TruthLog(createTestClock(), 3);
  for (let index = 0; index < 8; index += 1)
    log.finish(log.open({ ...FACTS }), { status: 200, outcome: 'ok', inputTokens: 2 });
  assert.deepEqual(
    log.entries().map((entry) => entry.sequence),
    [6, 7, 8],
  );
  const totals = log.totals();
  assert.equal(totals.dropped, 5);
  assert.equal(totals.requests, 8);
  assert.deepEqual(totals.byProvider.anthropic?.byStatus, { '200': 8 });
  assert.deepEqual(totals.byProvider.anthropic?.byOutcome, { ok: 8 });
  assert.equal(totals.byProvider.anthropic?.inputTokens, 16);
});

test('the totals report the peak concurrency and the peak requests per minute', async () => {
  const clock = createTestClock();
  const log = new TruthLog(clock, 10);
  const first = log.open({ ...FACTS });
  const second = log.open({ ...FACTS });
  log.finish(first, { outcome: 'ok' });
  log.finish(second, { outcome: 'ok' });
  await clock.advance(60_000);
  log.finish(log.open({ ...FACTS }), { outcome: 'ok' });
  const { inFlight, maxInFlight, byProvider } = log.totals();
  assert.deepEqual([inFlight, maxInFlight], [0, 2]);
  assert.equal(byProvider.anthropic?.maxRequestsPerMinute, 2);
});

test('an entry is finished only once', () => {
  const log = new TruthLog(createTestClock(), 10);
  const entry = log.open({ ...FACTS });
  log.finish(entry, { outcome: 'cut' });
  log.finish(entry, { outcome: 'aborted_by_client' });
  assert.equal(log.entries()[0]?.outcome, 'cut');
});

test('waitFor resolves with a logged entry or with a later one', async () => {
  const log = new TruthLog(createTestClock(), 10);
  const entry = log.open({ ...FACTS });
  assert.equal((await log.waitFor(({ outcome }) => outcome === 'pending')).sequence, 1);
  const waiting = log.waitFor(({ outcome }) => outcome === 'hung');
  log.change(entry, { outcome: 'hung' });
  log.finish(entry, { outcome: 'hung', abortedAt: 5 });
  assert.equal((await waiting).abortedAt, null);
});

test('waitFor ends with its signal and when the simulator closes', async () => {
  const log = new TruthLog(createTestClock(), 10);
  const aborted = log.waitFor(() => false, AbortSignal.abort(new Error('enough')));
  await assert.rejects(aborted, /enough/);
  const control = new AbortController();
  const later = log.waitFor(() => false, control.signal);
  control.abort(new Error('too late'));
  await assert.rejects(later, /too late/);
  const closed = log.waitFor(() => false);
  log.close();
  await assert.rejects(closed, /closed/);
});

test('requests that were open when the log was cleared are not counted', () => {
  const log = new TruthLog(createTestClock(), 10);
  const entry = log.open({ ...FACTS });
  log.clear();
  log.finish(entry, { outcome: 'ok' });
  assert.equal(log.totals().requests, 0);
  assert.deepEqual(log.totals().byProvider, {});
  assert.deepEqual(log.entries(), []);
});

test('provider names invented by callers do not grow the totals without bound', () => {
  const log = new TruthLog(createTestClock(), 10);
  for (let index = 0; index < 300; index += 1) log.open({ ...FACTS, provider: `p${index}` });
  assert.ok(Object.keys(log.totals().byProvider).length <= 101);
});
