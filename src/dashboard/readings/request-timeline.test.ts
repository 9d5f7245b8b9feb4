import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import { requestAttempts, requestTimeline } from './request-timeline.ts';

function timelineOf(...records: readonly UsageRecord[]) {
  return requestTimeline(requestAttempts(records, undefined), records, undefined);
}

test('the first content is an instant after the start of its own attempt', () => {
  const failed = usageRecord('a', { createdAt: 1100, latencyMs: 100, status: 'NETWORK_TIMEOUT' });
  const stream = { attempt: 2, createdAt: 2000, latencyMs: 800, firstContentMs: 300 };
  const { spans } = timelineOf(failed, usageRecord('b', stream));
  assert.deepEqual(
    spans.map(({ kind, startedAt, endedAt }) => [kind, startedAt, endedAt]),
    [
      ['admission', 1000, 1000],
      ['attempt', 1000, 1100],
      ['wait', 1100, 1200],
      ['attempt', 1200, 2000],
      ['first-content', 1500, 1500],
      ['end', 2000, 2000],
    ],
  );
});

test('an answer that is no stream has no first content', () => {
  const { spans } = timelineOf(usageRecord('a', { createdAt: 1100, latencyMs: 100 }));
  assert.deepEqual(
    spans.map(({ kind }) => kind),
    ['admission', 'attempt', 'end'],
  );
});

test('the first content is never after the end of its attempt', () => {
  const { spans } = timelineOf(
    usageRecord('a', { createdAt: 1100, latencyMs: 100, firstContentMs: 101 }),
  );
  assert.equal(spans.find(({ kind }) => kind === 'first-content')?.startedAt, 1100);
});
