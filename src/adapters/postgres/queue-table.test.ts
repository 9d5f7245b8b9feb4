// The queue's table on PostgreSQL: against its model, and with many hands at it at once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queueTableContract } from '../../../test/contract/queue-table.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/isolated-postgres.ts';
import {
  createMessageHandling,
  insertMessage,
  type MessageHandling,
  returnMessage,
} from '../sql/queue-table.ts';
import { createPostgresMessageHandling } from './message-handling.ts';
import { openPostgres, type PostgresStore } from './open-postgres.ts';

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
    return { ...store, handling: createPostgresMessageHandling(store) };
  },
  20,
);

const HANDLINGS: readonly (readonly [string, (store: PostgresStore) => MessageHandling])[] = [
  ['', createPostgresMessageHandling],
  [' by the common SQL', ({ db, dialect }) => createMessageHandling(db, dialect)],
];

for (const [how, handlingOf] of HANDLINGS)
  test(`many processes that publish, free, claim and settle at once${how} have each message in one hand`, () =>
    workTogether(handlingOf));

async function workTogether(handlingOf: (store: PostgresStore) => MessageHandling): Promise<void> {
  const first = await openEmptyStore(database);
  const stores = [first, openPostgres(database.url), openPostgres(database.url)];
  const inHand = new Set<string>();
  const acknowledged: string[] = [];
  const messages = Array.from({ length: 240 }, (_, index) => `m${index}`);
  const hands = Array.from({ length: 12 }, (_, index) => `hand${index}`);

  async function publish(store: PostgresStore, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      // Half of them have just fallen due, so that everybody wants to free the same rows.
      const times = { now: 0, visibleAt: Number(id.slice(1)) % 2 };
      const message = { id, body: '', lane: `lane${id.length}`, priority: id.length };
      await store.db.transaction().execute((trx) => insertMessage(trx, 'q', message, times));
    }
  }

  async function work(store: PostgresStore, owner: string): Promise<void> {
    const handling = handlingOf(store);
    let isFirst = true;
    while (acknowledged.length < messages.length) {
      const claim = { count: 3, lease: { owner, until: 1_000_000 }, now: 10 };
      for (const { id } of await handling.claim('q', claim)) {
        assert.ok(!inHand.has(id), `${id} is in two hands`);
        inHand.add(id);
        await new Promise((resolve) => setImmediate(resolve));
        inHand.delete(id);
        if (isFirst)
          await returnMessage(store.db, 'q', id, { owner, visibleAt: 5, wasStarted: false });
        else await handling.remove('q', id, owner);
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
