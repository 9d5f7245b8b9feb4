import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { addressSubject, RefusalLimit } from './refusal-limit.ts';

test('refusals within the bucket pass, then wait for its refill', async () => {
  const clock = createTestClock();
  const throttled: string[] = [];
  const onThrottled = (subject: string): void => void throttled.push(subject);
  const limit = new RefusalLimit(clock, { perMinute: 60, burst: 3, onThrottled });
  for (let count = 0; count < 3; count += 1) assert.equal(limit.count('a'), undefined);
  assert.equal(limit.count('a')?.code, 'RATE_LIMITED');
  assert.equal(limit.count('a')?.retryAfterMs, 3000);
  assert.equal(limit.count('b'), undefined, 'another subject has its own bucket');
  assert.deepEqual(throttled, ['a'], 'reported once');
  await clock.advance(3000);
  assert.equal(limit.count('a'), undefined);
});

test('a subject is blocked after twice its burst, until its bucket has a token again', async () => {
  const clock = createTestClock();
  const limit = new RefusalLimit(clock, { perMinute: 60, burst: 3 });
  for (let count = 0; count < 5; count += 1) limit.count('a');
  assert.equal(limit.blocked('a'), undefined);
  for (let count = 0; count < 100; count += 1) limit.count('a');
  assert.equal(limit.blocked('a')?.retryAfterMs, 4000);
  await clock.advance(3000);
  assert.ok(limit.blocked('a'));
  await clock.advance(1000);
  assert.equal(limit.blocked('a'), undefined);
});

test('the number of buckets is bounded', () => {
  const limit = new RefusalLimit(createTestClock(), { perMinute: 60, burst: 3 });
  for (let count = 0; count < 30_000; count += 1) limit.count(`address ${count}`);
  assert.ok(limit.size <= 10_000);
});

test('a limit of zero is off', () => {
  const limit = new RefusalLimit(createTestClock(), { perMinute: 0, burst: 3 });
  for (let count = 0; count < 100; count += 1) assert.equal(limit.count('a'), undefined);
});

const subjectOf = (remoteAddress: string) => addressSubject({ socket: { remoteAddress } });

test('all addresses of an IPv6 network of 64 bits are one subject, wherever their zeros are', () => {
  for (const [subject, ...addresses] of [
    ['2001:db8:1:2::/64', '2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:0:4::'],
    ['2001:db8:0:0::/64', '2001:db8::1', '2001:db8::abcd:1', '2001:db8::5:6:7:8', '2001:db8::'],
    ['2001:db8:1:0::/64', '2001:db8:1::5', '2001:db8:1:0:5:6:7:8'],
    ['2001:0:0:7::/64', '2001:0:0:7::1', '2001::7:0:0:0:1', '2001::7:4:5:6:7'],
    ['0:0:0:0::/64', '::1', '::5:6:7:8'],
    ['fe80:0:0:0::/64', 'fe80::1%eth0', 'fe80::abcd:1:2:3%eth1'],
  ])
    for (const address of addresses)
      assert.equal(subjectOf(address), `address ${subject}`, address);
});

test('an IPv4 address is its own subject, even in the notation of an IPv6 address', () => {
  assert.equal(subjectOf('192.0.2.1'), 'address 192.0.2.1');
  assert.equal(subjectOf('::ffff:192.0.2.1'), 'address 192.0.2.1');
  assert.notEqual(subjectOf('64:ff9b::c000:201'), subjectOf('64:ff9b::c000:202'));
});
