import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { readDeadline } from './request-deadline.ts';

const clock = createTestClock();
const STARTED_MS = 1000;

function deadline(given: string): number {
  const headers = { 'x-request-deadline-ms': given };
  return (readDeadline(headers, STARTED_MS, clock) ?? Number.NaN) - STARTED_MS;
}

test('a request without the header has no deadline of its own', () => {
  assert.equal(readDeadline({}, STARTED_MS, clock), undefined);
});

test('a duration counts from the start of the request', () => {
  assert.equal(deadline('1'), 1);
  assert.equal(deadline('2500'), 2500);
});

test('a timestamp counts from now', () => {
  assert.equal(deadline(String(clock.now() + 2500)), 2500);
  assert.equal(deadline(String(clock.now() - 1)), 0);
});

test('a deadline may be later than any clock of a call', () => {
  assert.equal(deadline('7200000'), 7_200_000);
});

test('a value that is not milliseconds is refused, naming the header', () => {
  for (const wrong of ['', '0', '-1', '1.5', '1e3', ' 5', '5s', '9'.repeat(16)])
    assert.throws(
      () => deadline(wrong),
      (error) =>
        error instanceof SpillwayError &&
        error.code === 'INVALID_REQUEST' &&
        error.params.field === 'X-Request-Deadline-Ms',
      wrong,
    );
});

test('any value is refused or gives a finite deadline', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.nat().map(String), fc.maxSafeNat().map(String)),
      (given) => {
        try {
          const ms = deadline(given);
          assert.ok(ms >= 0 && Number.isFinite(ms));
        } catch (error) {
          assert.ok(error instanceof SpillwayError);
        }
      },
    ),
  );
});
