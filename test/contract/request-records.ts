// The contract of the port RequestRecords. The test of each adapter calls it with its own, bounded to a few records.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { PublicError } from '../../src/errors/public-answer.ts';
import type { FailedAttempt, RequestRecords } from '../../src/upstream/request-records.ts';

export type RecordBounds = {
  readonly records: number;
  readonly characters: number;
  readonly attemptsPerRecord: number;
};

/** The records of two servers that share them; the same server twice where nothing is shared. */
export type RecordsOpener = (
  bounds: RecordBounds,
) => Promise<{ readonly writer: RequestRecords; readonly reader: RequestRecords }>;

export function requestRecordsContract(adapter: string, open: RecordsOpener): void {
  suite(`request records: ${adapter}`, () => {
    const large = { records: 100, characters: 1_000_000, attemptsPerRecord: 3 };

    test('attempts of one request are recorded together, numbered, and found by request or attempt id', async () => {
      const { writer, reader } = await open(large);
      writer.failed(owner('req_1'), attempt('run.1'));
      writer.failed(owner('req_1'), attempt('run.2'));
      await writer.flush();
      const found = await reader.find('req_1');
      assert.deepEqual(
        found?.attempts.map(({ id, number }) => [id, number]),
        [
          ['run.1', 1],
          ['run.2', 2],
        ],
      );
      const { number: _, ...first } = found.attempts[0] ?? { number: 0 };
      assert.deepEqual(first, attempt('run.1'));
      assert.deepEqual(await reader.find('run.1'), found);
      assert.equal(await reader.find('req_2'), undefined);
    });

    test('the writer finds its own record without waiting', async () => {
      const { writer } = await open(large);
      writer.failed(owner('req_1'), attempt('run.1'));
      assert.equal((await writer.find('req_1'))?.attempts.length, 1);
    });

    test('attempts on two servers are one record', async () => {
      const { writer, reader } = await open(large);
      writer.failed(owner('job_1'), attempt('run.1'));
      await writer.flush();
      reader.failed(owner('job_1'), attempt('run.2'));
      await reader.flush();
      for (const server of [writer, reader])
        assert.deepEqual(
          (await server.find('job_1'))?.attempts.map(({ id }) => id),
          ['run.1', 'run.2'],
        );
    });

    test('the public error is recorded with the attempts, without diagnostics', async () => {
      const { writer, reader } = await open(large);
      writer.failed(owner('req_1'), attempt('a'));
      writer.answered(owner('req_1'), { ...ERROR, diagnostics: { body: 'raw' } }, 'why');
      await writer.flush();
      assert.deepEqual((await reader.find('req_1'))?.error, ERROR);
      assert.equal((await reader.find('req_1'))?.attempts.length, 1);
    });

    test('the partial answer of a cut stream is recorded with the attempt and the error', async () => {
      const { writer, reader } = await open(large);
      writer.failed(owner('req_1'), attempt('a'));
      writer.cut(owner('req_1'), { text: 'data: one', bytes: 9 });
      writer.answered(owner('req_1'), ERROR, 'why');
      await writer.flush();
      const found = await reader.find('req_1');
      assert.deepEqual(found?.partial, { text: 'data: one', bytes: 9 });
      assert.deepEqual([found.attempts.length, found.error], [1, ERROR]);
    });

    test('a request without an attempt is recorded with its reason', async () => {
      const { writer, reader } = await open(large);
      writer.answered(owner('req_1'), ERROR, 'no provider serves that model');
      await writer.flush();
      const found = await reader.find('req_1');
      assert.equal(found?.reason, 'no provider serves that model');
      assert.deepEqual(found.attempts, []);
      assert.deepEqual([found.organizationId, found.keyId], ['default', 'key_1']);
    });

    test('only the last attempts are recorded, with their numbers', async () => {
      const { writer, reader } = await open(large);
      for (let run = 1; run <= 5; run += 1) writer.failed(owner('req_1'), attempt(`run.${run}`));
      await writer.flush();
      assert.deepEqual(
        (await reader.find('req_1'))?.attempts.map(({ number }) => number),
        [3, 4, 5],
      );
      assert.equal(await reader.find('run.1'), undefined);
      assert.ok(await reader.find('run.5'));
    });

    test('the oldest records are evicted, and requests without an attempt evict no failed attempt', async () => {
      const { writer, reader } = await open({ ...large, records: 4 });
      for (let n = 1; n <= 6; n += 1) {
        writer.failed(owner(`req_${n}`), attempt(`a${n}`));
        await writer.flush();
      }
      for (let n = 1; n <= 20; n += 1) {
        writer.answered(owner(`wrong_${n}`), ERROR, 'wrong');
        await writer.flush();
      }
      const ids = [1, 2, 3, 4, 5, 6];
      const found = await Promise.all(ids.map((n) => reader.find(`req_${n}`)));
      assert.deepEqual(
        ids.filter((_, index) => found[index]),
        [3, 4, 5, 6],
      );
      assert.equal(await reader.find('a1'), undefined);
      assert.ok(await reader.find('wrong_20'));
      assert.equal(await reader.find('wrong_1'), undefined);
    });

    test('the total length of texts is bounded', async () => {
      const { writer, reader } = await open({ ...large, characters: 30_000 });
      const raw = { body: 'x'.repeat(8_192) };
      for (let n = 1; n <= 10; n += 1) {
        writer.failed(owner(`req_${n}`), { ...attempt(`a${n}`), raw });
        await writer.flush();
      }
      const found = await Promise.all(
        Array.from({ length: 10 }, (_, n) => reader.find(`req_${n + 1}`)),
      );
      assert.equal(found.filter(Boolean).length, 3);
      assert.ok(found[9]);
    });
  });
}

export const ERROR: PublicError = {
  code: 'PROVIDER_UNAVAILABLE',
  params: { reason: 'overloaded' },
  message: 'Busy.',
  retryable: true,
  requestId: 'req_1',
};

export function owner(id: string): Parameters<RequestRecords['failed']>[0] {
  return { id, organizationId: 'default', keyId: 'key_1', correlationId: undefined };
}

export function attempt(id: string): FailedAttempt {
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
