// The contract of every `Journal` adapter. Each test gets a fresh storage; opening a journal on it again without a close is
// a crash of the previous process.

import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import type { Journal } from '../../src/metering/usage/journal.ts';

export type OpenJournal = () => Journal<string>;

export type JournalStorage = { readonly open: OpenJournal; remove(): void };

export function journalContract(adapter: string, createStorage: () => JournalStorage): void {
  function start(context: Pick<TestContext, 'after'>): OpenJournal {
    const storage = createStorage();
    context.after(() => storage.remove());
    return storage.open;
  }

  suite(`journal: ${adapter}`, () => {
    test('records are read in the order of their callbacks, oldest first', async (context) => {
      const journal = start(context)();
      const written: string[] = [];
      await new Promise<void>((resolve) => {
        for (const name of ['a', 'b', 'c'])
          journal.append(name, () => {
            written.push(name);
            if (name === 'c') resolve();
          });
        assert.deepEqual(written, [], 'no callback runs within append');
      });
      assert.deepEqual(written, ['a', 'b', 'c']);
      assert.deepEqual(journal.oldest(2), ['a', 'b']);
      assert.deepEqual(journal.oldest(10), ['a', 'b', 'c']);
    });

    test('a record appended in a callback is written too', async (context) => {
      const journal = start(context)();
      await new Promise<void>((resolve) => {
        journal.append('first', () => journal.append('second', resolve));
      });
      assert.deepEqual(drain(journal), ['first', 'second']);
    });

    test('a record survives a crash once its callback has run', async (context) => {
      const open = start(context);
      await append(open(), 'a', 'b', 'c');
      const journal = open();
      await append(journal, 'd');
      assert.deepEqual(drain(journal, 2), ['a', 'b', 'c', 'd']);
    });

    test('release removes the oldest records, and the backlog counts the rest', async (context) => {
      const journal = start(context)();
      await append(journal, 'a', 'b', 'c');
      assert.equal(journal.backlog(), 3);
      journal.release(2);
      assert.deepEqual(journal.oldest(10), ['c']);
      assert.equal(journal.backlog(), 1);
      journal.release(1);
      assert.deepEqual(journal.oldest(10), []);
      assert.equal(journal.backlog(), 0);
    });

    test('a new journal is empty and writable', (context) => {
      const journal = start(context)();
      assert.deepEqual([journal.isWritable(), journal.backlog()], [true, 0]);
      assert.deepEqual(journal.oldest(1), []);
    });

    test('close writes pending records and runs their callbacks', async (context) => {
      const open = start(context);
      const journal = open();
      const written = append(journal, 'last');
      await journal.close();
      await written;
      assert.deepEqual(drain(open()), ['last']);
    });

    test('close is idempotent and keeps records that were not released', async (context) => {
      const open = start(context);
      const journal = open();
      await append(journal, 'a', 'b', 'c');
      journal.release(2);
      await journal.close();
      await journal.close();
      assert.ok(drain(open()).includes('c'));
    });

    test('no sequence of append, release and crash loses a record or changes the order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
          const storage = createStorage();
          try {
            await playAgainstModel(storage.open, steps);
          } finally {
            storage.remove();
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

type Step = { readonly kind: 'append' | 'release' | 'crash'; readonly count: number };

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('append', 'append', 'append', 'release', 'release', 'crash'),
  count: fc.integer({ min: 1, max: 5 }),
});

/** Records are numbered, so the model is one number: the first record that was never released. */
async function playAgainstModel(open: OpenJournal, steps: readonly Step[]): Promise<void> {
  let journal = open();
  let appended = 0;
  let released = 0;
  for (const { kind, count } of steps) {
    if (kind === 'append') {
      await append(journal, ...Array.from({ length: count }, (_, at) => String(appended + at)));
      appended += count;
    } else if (kind === 'release') {
      const batch = journal.oldest(count);
      journal.release(batch.length);
      for (const record of batch) {
        // A crash may repeat a released record, but none is skipped.
        assert.ok(Number(record) <= released, `${record} came before ${released}`);
        released = Math.max(released, Number(record) + 1);
      }
    } else journal = open();
  }
  const rest = drain(journal).map(Number);
  assert.deepEqual(
    rest,
    [...new Set(rest)].toSorted((one, other) => one - other),
    'each once, in order',
  );
  for (let number = released; number < appended; number += 1) assert.ok(rest.includes(number));
  await journal.close();
}

/** Resolves when all records are written. */
export function append(journal: Journal<string>, ...records: readonly string[]): Promise<unknown> {
  return Promise.all(
    records.map((record) => new Promise<void>((resolve) => journal.append(record, resolve))),
  );
}

/** All records of the journal, read in batches as the drain does. */
export function drain(journal: Journal<string>, batch = 3): string[] {
  const all: string[] = [];
  for (let some = journal.oldest(batch); some.length > 0; some = journal.oldest(batch)) {
    all.push(...some);
    journal.release(some.length);
  }
  return all;
}
