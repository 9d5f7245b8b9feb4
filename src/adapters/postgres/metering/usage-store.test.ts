import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { usageRecord } from '../../../../test/support/budgets/usage-record.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { openPostgres } from '../connection/open-postgres.ts';
import { createPostgresUsageStore } from './usage-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('usage');
});
after(() => database.drop());

const EVER = { organizationId: 'acme', from: 0, to: 4_000_000_000_000 };

test('servers that deliver the same records concurrently, in any order, count each once without deadlock', async () => {
  const stores = [await openEmptyStore(database), openPostgres(database.url)];
  const writers = stores.map((store) => createPostgresUsageStore(store));
  const writerOf = (writer: number) => writers[writer % writers.length] ?? assert.fail();
  const records = Array.from({ length: 120 }, (_, index) =>
    usageRecord(`r${index}`, { userId: `u${index % 40}`, model: `m${index % 7}` }),
  );
  const rounds = Array.from({ length: 8 }, (_, round) =>
    Array.from({ length: 6 }, (_, writer) => {
      // The batches overlap, and each has its own order.
      const slice = [...records.slice(writer * 10), ...records.slice(0, writer * 10)].slice(0, 90);
      return (round + writer) % 2 === 0 ? slice : slice.toReversed();
    }),
  );
  let stored = 0;
  for (const batches of rounds) {
    const counts = await Promise.all(
      batches.map((batch, writer) => writerOf(writer).insertBatch(batch)),
    );
    stored += counts.reduce((sum, count) => sum + count.stored, 0);
  }
  assert.equal(stored, records.length);
  assert.equal((await writerOf(0).total(EVER)).attempts, records.length);
  await Promise.all(stores.map((store) => store.close()));
});

test('a text with any characters is read back unchanged', async () => {
  const store = await openEmptyStore(database);
  const usage = createPostgresUsageStore(store);
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[{}",\\ NULL'\n]*$/),
    fc.constantFrom('NULL', 'null', '', '{}', String.raw`\x`, '"'),
  );
  let number = 0;
  const property = fc.asyncProperty(
    fc.array(text, { minLength: 1, maxLength: 20 }),
    async (texts) => {
      const at = { createdAt: (number += 1) };
      const records = texts.map((userId, index) =>
        usageRecord(`p${number}-${String(index).padStart(2, '0')}`, {
          ...at,
          userId,
          category: userId,
        }),
      );
      await usage.insertBatch(records);
      const range = { ...EVER, from: number, to: number + 1, limit: 100 };
      const listed = await usage.list(range);
      assert.deepEqual(
        listed.toReversed(),
        records.map((record) => {
          const kept = record.userId?.replaceAll('\0', '\uFFFD');
          return { ...record, userId: kept, category: kept, budgetMonth: 197001 };
        }),
      );
    },
  );
  await fc.assert(property, { numRuns: 60 });
  await store.close();
});
