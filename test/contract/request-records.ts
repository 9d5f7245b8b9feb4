// The contract of the port RequestRecords. The test of each adapter calls it with its own, bounded to a few records.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { PublicError } from '../../src/errors/public-answer.ts';
import type { FailedAttempt, RequestRecords } from '../../src/upstream/request-records.ts';

export type RecordsOpener = (bounds: {
  readonly records: number;
  readonly characters: number;
  readonly attemptsPerRecord: number;
}) => RequestRecords;

export function requestRecordsContract(adapter: string, open: RecordsOpener): void {
  suite(`request records: ${adapter}`, () => {
    const large = { records: 100, characters: 1_000_000, attemptsPerRecord: 3 };

    test('attempts of one request are recorded together, numbered, and found by request or attempt id', () => {
      const records = open(large);
      records.failed(owner('req_1'), attempt('run.1'));
      records.failed(owner('req_1'), attempt('run.2'));
      const found = records.find('req_1');
      assert.deepEqual(
        found?.attempts.map(({ id, number }) => [id, number]),
        [
          ['run.1', 1],
          ['run.2', 2],
        ],
      );
      assert.equal(records.find('run.1'), found);
      assert.equal(records.find('req_2'), undefined);
    });

    test('the public error is recorded with the attempts, without diagnostics', () => {
      const records = open(large);
      records.failed(owner('req_1'), attempt('a'));
      records.answered(owner('req_1'), { ...ERROR, diagnostics: { body: 'raw' } }, 'why');
      assert.deepEqual(records.find('req_1')?.error, ERROR);
      assert.equal(records.find('req_1')?.attempts.length, 1);
    });

    test('a request without an attempt is recorded with its reason', () => {
      const records = open(large);
      records.answered(owner('req_1'), ERROR, 'no provider serves that model');
      assert.equal(records.find('req_1')?.reason, 'no provider serves that model');
      assert.deepEqual(records.find('req_1')?.attempts, []);
    });

    test('only the last attempts are recorded, with their numbers', () => {
      const records = open(large);
      for (let run = 1; run <= 5; run += 1) records.failed(owner('req_1'), attempt(`run.${run}`));
      assert.deepEqual(
        records.find('req_1')?.attempts.map(({ number }) => number),
        [3, 4, 5],
      );
      assert.equal(records.find('run.1'), undefined);
    });

    test('the oldest records are evicted, and requests without an attempt evict no failed attempt', () => {
      const records = open({ ...large, records: 4 });
      for (let n = 1; n <= 6; n += 1) records.failed(owner(`req_${n}`), attempt(`a${n}`));
      for (let n = 1; n <= 50; n += 1) records.answered(owner(`wrong_${n}`), ERROR, 'wrong');
      const kept = [1, 2, 3, 4, 5, 6].filter((n) => records.find(`req_${n}`));
      assert.deepEqual(kept, [3, 4, 5, 6]);
      assert.equal(records.find('a1'), undefined);
      assert.ok(records.find('wrong_50'));
    });

    test('the total length of texts is bounded', () => {
      const records = open({ ...large, characters: 30_000 });
      const raw = { body: 'x'.repeat(8_192) };
      for (let n = 1; n <= 10; n += 1)
        records.failed(owner(`req_${n}`), { ...attempt(`a${n}`), raw });
      const kept = Array.from({ length: 10 }, (_, n) => records.find(`req_${n + 1}`)).filter(
        Boolean,
      );
      assert.equal(kept.length, 3);
      assert.ok(records.find('req_10'));
    });
  });
}

const ERROR: PublicError = {
  code: 'PROVIDER_UNAVAILABLE',
  params: { reason: 'overloaded' },
  message: 'Busy.',
  retryable: true,
  requestId: 'req_1',
};

function owner(id: string): Parameters<RequestRecords['failed']>[0] {
  return { id, organizationId: 'default', keyId: 'key_1', correlationId: undefined };
}

function attempt(id: string): FailedAttempt {
  return {
    id,
    startedAt: 1,
    endedAt: 2,
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    code: 'PROVIDER_UNAVAILABLE',
    reason: 'the provider answered 529',
    raw: { status: 529 },
  };
}
