import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { type ImageLease, ImageQuota } from './image-quota.ts';

const BOUNDS = { perOrganization: { jobs: 2, bytes: 100 }, inAll: { jobs: 3, bytes: 150 } };

function openQuota() {
  const clock = createTestClock();
  const quota = new ImageQuota(clock, BOUNDS);
  function admit(organizationId: string): ImageLease {
    const admission = quota.admit(organizationId);
    assert.equal(admission.kind, 'admitted');
    return admission.kind === 'admitted' ? admission.lease : assert.fail();
  }
  return { clock, quota, admit };
}

test('an organisation fetches for a bounded number of jobs, and others still may', () => {
  const { quota, admit } = openQuota();
  const [first] = [admit('hostile'), admit('hostile')];
  assert.equal(quota.admit('hostile').kind, 'full');
  admit('other');
  assert.equal(quota.admit('third').kind, 'full', 'the bound for all organisations');
  first?.fetched();
  admit('third');
});

test('bytes are bounded per organisation and in all until they are released', () => {
  const { admit } = openQuota();
  const [hostile, other] = [admit('hostile'), admit('other')];
  assert.equal(hostile.addBytes(100), true);
  assert.equal(hostile.addBytes(1), false);
  assert.equal(other.addBytes(51), false);
  assert.equal(other.addBytes(50), true);
  hostile.fetched();
  assert.equal(other.addBytes(1), false, 'fetched images still occupy memory');
  hostile.release();
  hostile.release();
  assert.equal(other.addBytes(50), true);
});

test('refused jobs return one after the other, at the pace of the fetches', async () => {
  const { clock, quota, admit } = openQuota();
  const [slow] = [admit('hostile'), admit('hostile')];
  await clock.advance(30_000);
  slow?.release();
  admit('hostile');
  const delays = Array.from({ length: 3 }, () => quota.admit('hostile')).map((refused) =>
    refused.kind === 'full' ? refused.retryAfterMs : assert.fail(),
  );
  const [first = 0, second = 0, third = 0] = delays;
  assert.ok(second - first > 1000 && third - second > 1000, String(delays));
  for (let count = 0; count < 100; count += 1) quota.admit('hostile');
  const last = quota.admit('hostile');
  assert.deepEqual(last, { kind: 'full', retryAfterMs: 60_000 });
});

test('organisations without images or refused jobs keep no entry', async () => {
  const { clock, quota, admit } = openQuota();
  for (let number = 0; number < 100; number += 1) admit(`organisation-${number}`).release();
  await clock.advance(1);
  admit('last');
  assert.equal(quota.size, 1);
});
