// The queue's table on PostgreSQL: against its model, and with many processes at once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { queueTableContract } from '../../../../test/contract/jobs/queue-table.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import type { QueueMessage } from '../../../jobs/ports/job-queue.ts';
import { enqueue } from '../../sql/queue/enqueue.ts';
import {
  type ClaimedMessage,
  createQueueOperations,
  type QueueOperations,
  returnMessage,
} from '../../sql/queue/queue-table.ts';
import { openPostgres, type PostgresStore } from '../connection/open-postgres.ts';
import { createPostgresQueueOperations } from './queue-operations.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('queue table');
});
after(() => database.drop());

queueTableContract('PostgreSQL by the common SQL', () => openEmptyStore(database), 10);

queueTableContract(
  'PostgreSQL',
  async () => {
    const store = await openEmptyStore(database);
    return { ...store, operations: createPostgresQueueOperations(store) };
  },
  20,
);

const HANDLINGS: readonly (readonly [string, (store: PostgresStore) => QueueOperations])[] = [
  ['', createPostgresQueueOperations],
  [' by the common SQL', ({ db, dialect }) => createQueueOperations(db, dialect)],
];

for (const [how, handlingOf] of HANDLINGS)
  test(`each message is leased to one process while many publish, claim and acknowledge at once${how}`, () =>
    workTogether(handlingOf));

async function workTogether(handlingOf: (store: PostgresStore) => QueueOperations): Promise<void> {
  const first = await openEmptyStore(database);
  const stores = [first, openPostgres(database.url), openPostgres(database.url)];
  const leased = new Set<string>();
  const acknowledged: string[] = [];
  const messages = Array.from({ length: 240 }, (_, index) => `m${index}`);
  const hands = Array.from({ length: 12 }, (_, index) => `hand${index}`);

  async function publish(store: PostgresStore, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      // Half of them are due now, so that all processes try to make the same rows ready.
      const times = { now: 0, visibleAt: Number(id.slice(1)) % 2 };
      const message = { id, body: '', tenant: `tenant${id.length}`, priority: id.length };
      await store.db.transaction().execute((trx) => enqueue(trx, 'q', message, times));
    }
  }

  async function work(store: PostgresStore, owner: string): Promise<void> {
    const operations = handlingOf(store);
    let isFirst = true;
    while (acknowledged.length < messages.length) {
      const claim = { count: 3, lease: { owner, until: 1_000_000 }, now: 10 };
      for (const { id } of await operations.claim('q', claim)) {
        assert.ok(!leased.has(id), `${id} is leased twice`);
        leased.add(id);
        await new Promise((resolve) => setImmediate(resolve));
        leased.delete(id);
        if (isFirst)
          await returnMessage(store.db, 'q', id, { owner, visibleAt: 5, wasStarted: false });
        else await operations.remove('q', id, owner);
        if (!isFirst) acknowledged.push(id);
        isFirst = false;
      }
    }
  }

  const storeOf = (index: number) => stores[index % stores.length] ?? first;
  const publishing = stores.map((store, index) =>
    publish(
      store,
      messages.filter((_, number) => number % stores.length === index),
    ),
  );
  const working = hands.map((owner, index) => work(storeOf(index), owner));
  await Promise.all([...publishing, ...working]);
  assert.deepEqual(acknowledged.toSorted(), messages.toSorted());
  await Promise.all(stores.map((store) => store.close()));
}

test('claims of one and of several messages serve tenants in the same turns, the most urgent message first', async () => {
  const store = await openEmptyStore(database);
  const common = createQueueOperations(store.db, store.dialect);
  const own = createPostgresQueueOperations(store);
  let round = 0;
  const message = fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), priority: fc.nat(3) });
  const messages = fc.array(message, { maxLength: 20 });
  const property = fc.asyncProperty(
    messages,
    fc.integer({ min: 2, max: 7 }),
    async (all, count) => {
      round += 1;
      for (const queue of [`one${round}`, `two${round}`])
        for (const [index, { tenant, priority }] of all.entries())
          await publishTo(store, queue, {
            id: `${tenant}${priority}-${index}`,
            body: '',
            tenant,
            priority,
          });
      const oneByOne = await drain(common, `one${round}`, 1);
      const together = await drain(own, `two${round}`, count);
      assert.deepEqual(together.map(tagOf), oneByOne.map(tagOf));
      for (const tenant of ['a', 'b', 'c'])
        assert.deepEqual(urgencies(together, tenant), urgencies(oneByOne, tenant));
    },
  );
  await fc.assert(property, { numRuns: 25 });
  await store.close();
});

function publishTo(store: PostgresStore, queue: string, message: QueueMessage): Promise<void> {
  const times = { now: 0, visibleAt: 0 };
  return store.db.transaction().execute((trx) => enqueue(trx, queue, message, times));
}

async function drain(operations: QueueOperations, queue: string, count: number) {
  const drained: ClaimedMessage[] = [];
  for (;;) {
    const lease = { owner: 'me', until: 9 };
    const claimed = await operations.claim(queue, { count, lease, now: 1 });
    if (claimed.length === 0) return drained;
    drained.push(...claimed);
  }
}

function tagOf({ tag }: ClaimedMessage): number {
  return Number(tag);
}

function urgencies(messages: readonly ClaimedMessage[], tenant: string): readonly string[] {
  return messages.filter(({ id }) => id.startsWith(tenant)).map(({ id }) => id.slice(1, 2));
}
