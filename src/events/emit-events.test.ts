import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../errors/redact.ts';
import type { BuildKey, NewBuildEvent } from './build-event.ts';
import { createEmitEvents, type ReportedFailure } from './emit-events.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const BUILD = { organizationId: 'acme', buildId: 'b1' };
const READER = { locale: 'en', timeZone: 'UTC', now: NOW };

function openEmit(append?: (events: readonly NewBuildEvent[]) => Promise<readonly number[]>) {
  const stored: NewBuildEvent[] = [];
  const changed: BuildKey[] = [];
  const failures: ReportedFailure[] = [];
  const emit = createEmitEvents({
    store: { append: append ?? (async (events) => events.map((event) => stored.push(event))) },
    redact: createRedactor([]),
    onChanged: (build) => void changed.push(build),
  });
  const onFailure = async (failure: ReportedFailure) => void failures.push(failure);
  const report = (body: unknown) => emit({ build: BUILD, body, reader: READER, onFailure });
  return { report, stored, changed, failures };
}

test('a report is stored under the organisation of its key', async () => {
  const { report, stored, changed, failures } = openEmit();
  const body = { type: 'step', organizationId: 'other', buildId: 'x', data: { a: 1 } };
  const [event] = await report(body);
  assert.equal(event?.id, 1);
  assert.equal(stored[0]?.organizationId, 'acme');
  assert.equal(stored[0]?.buildId, 'b1');
  assert.equal(stored[0]?.createdAt, NOW);
  assert.deepEqual(stored[0]?.data, { a: 1 });
  assert.deepEqual(changed, [BUILD]);
  assert.deepEqual(failures, []);
});

test('an error is stored in three forms, removed from the data, and given to onFailure', async () => {
  const { report, stored, failures } = openEmit();
  const rawText = `Claude AI usage limit reached|${NOW / 1000 + 600}`;
  await report({ type: 'failed', data: { a: 1, error: rawText }, error: rawText });
  const [event] = stored;
  assert.deepEqual(event?.data, { a: 1 });
  assert.equal(event?.error?.internalMessage, rawText);
  assert.equal(event?.error?.code, 'AI_LIMIT_REACHED');
  assert.match(event?.error?.message ?? '', /10 minutes/);
  assert.equal(failures[0]?.verdict.resetAt, NOW + 600_000);
  assert.equal(failures[0]?.failure, rawText);
});

test("an error that is only in the data is the event's error", async () => {
  const { report, stored } = openEmit();
  await report({ type: 'failed', data: { result: { error: { type: 'overloaded_error' } } } });
  assert.equal(stored[0]?.error?.code, 'PROVIDER_UNAVAILABLE');
});

test('a report with one wrong event is refused as a whole', async () => {
  const { report, stored } = openEmit();
  await assert.rejects(report([{ type: 'a' }, { type: 1 }]), { code: 'INVALID_REQUEST' });
  assert.deepEqual(stored, []);
});

test('a report is refused with a retry time while the store is unavailable', async () => {
  const { report, changed, failures } = openEmit(() => Promise.reject(new Error('unavailable')));
  await assert.rejects(report({ type: 'a', error: 'x' }), {
    code: 'CAPACITY_EXHAUSTED',
    retryable: true,
  });
  assert.deepEqual([changed, failures], [[], []]);
});
