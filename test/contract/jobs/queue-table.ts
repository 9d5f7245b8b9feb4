// The queue's table against a model: after any sequence of publications, claims, acknowledgements and crashes no message
// is lost, none is leased twice, and each is delivered when it is due. The test of each SQL store calls it with an empty
// store.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { enqueue } from '../../../src/adapters/sql/queue/enqueue.ts';
import {
  createQueueOperations,
  nextDueAt,
  type QueueOperations,
  releaseAllLeases,
  renewLeases,
  returnMessage,
} from '../../../src/adapters/sql/queue/queue-table.ts';
import type { SqlStore } from '../../../src/adapters/sql/sql-dialect.ts';

export type OpenedSqlStore = SqlStore & {
  /** The common SQL by default. */
  readonly operations?: QueueOperations;
  close(): Promise<void>;
};

const LEASE_MS = 100;

type Held = { visibleAt: number; owner?: string; leaseUntil?: number; deliveries: number };

type Step =
  | { kind: 'publish'; id: string; delayMs: number; tenant: string; priority: number }
  | { kind: 'claim'; count: number; owner: string }
  | { kind: 'ack' | 'giveBack'; pick: number }
  | { kind: 'retry'; pick: number; delayMs: number }
  | { kind: 'renew'; owner: string }
  | { kind: 'pass'; ms: number }
  | { kind: 'crash' };

const owner = fc.constantFrom('one', 'two');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('publish'),
    id: fc.stringMatching(/^[a-h]$/),
    delayMs: fc.constantFrom(0, 0, 30, 500),
    tenant: fc.constantFrom('', 'acme', 'other'),
    priority: fc.nat(9),
  }),
  fc.record({ kind: fc.constant('claim'), count: fc.integer({ min: 1, max: 4 }), owner }),
  fc.record({ kind: fc.constantFrom('ack', 'giveBack'), pick: fc.nat(20) }),
  fc.record({ kind: fc.constant('retry'), pick: fc.nat(20), delayMs: fc.constantFrom(0, 40) }),
  fc.record({ kind: fc.constant('renew'), owner }),
  fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1, 30, 120) }),
  fc.record({ kind: fc.constant('crash') }),
);

export function queueTableContract(
  adapter: string,
  open: () => Promise<OpenedSqlStore>,
  numRuns: number,
): void {
  test(`the queue on ${adapter} behaves like its model`, async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const store = await open();
      try {
        const world = new World(store);
        for (const each of steps) await world.take(each);
        await world.drain();
      } finally {
        await store.close();
      }
    });
    await fc.assert(property, { numRuns });
  });
}

class World {
  readonly #store: SqlStore;
  readonly #operations: QueueOperations;
  readonly #model = new Map<string, Held>();
  #now = 1000;

  constructor(store: OpenedSqlStore) {
    this.#store = store;
    this.#operations = store.operations ?? createQueueOperations(store.db, store.dialect);
  }

  async take(each: Step): Promise<void> {
    const { db } = this.#store;
    switch (each.kind) {
      case 'publish':
        return this.#publish(each);
      case 'claim':
        return this.#claim(each.owner, each.count);
      case 'ack':
      case 'giveBack':
      case 'retry':
        return this.#settle(each);
      case 'renew':
        return this.#renew(each.owner);
      case 'pass':
        this.#now += each.ms;
        return;
      case 'crash':
        for (const held of this.#model.values()) this.#free(held);
        return releaseAllLeases(db);
    }
  }

  /** In the end every unacknowledged message is delivered. */
  async drain(): Promise<void> {
    this.#now += 10_000;
    await this.#claim('last', 1000);
    assert.ok([...this.#model.values()].every((held) => held.owner === 'last'));
    const leaseEnds = this.#model.size === 0 ? undefined : this.#now + LEASE_MS;
    assert.equal(await nextDueAt(this.#store.db, 'q'), leaseEnds);
  }

  /** Renews every second lease: the other acknowledgements failed, and their leases have to end. */
  async #renew(owner: string): Promise<void> {
    const until = this.#now + LEASE_MS;
    const own = [...this.#model].filter(([, held]) => held.owner === owner);
    const leased = own.filter((_, index) => index % 2 === 0);
    for (const [, held] of leased) held.leaseUntil = until;
    const ids = leased.map(([id]) => id);
    await renewLeases(this.#store.db, 'q', ids, { owner, until });
  }

  async #publish(each: Extract<Step, { kind: 'publish' }>): Promise<void> {
    const visibleAt = this.#now + each.delayMs;
    const times = { now: this.#now, visibleAt };
    await this.#store.db
      .transaction()
      .execute((trx) => enqueue(trx, 'q', { ...each, body: each.id }, times));
    if (!this.#model.has(each.id)) this.#model.set(each.id, { visibleAt, deliveries: 0 });
  }

  async #claim(by: string, count: number): Promise<void> {
    const lease = { owner: by, until: this.#now + LEASE_MS };
    const rows = await this.#operations.claim('q', { count, lease, now: this.#now });
    const free = [...this.#model].filter(([, held]) => this.#isFree(held));
    assert.equal(rows.length, Math.min(count, free.length), 'all free messages can be claimed');
    for (const row of rows) {
      const held = this.#model.get(row.id);
      assert.ok(held && this.#isFree(held), `${row.id} could not be claimed`);
      assert.equal(Number(row.deliveries), held.deliveries + 1);
      Object.assign(held, { owner: by, leaseUntil: lease.until, deliveries: held.deliveries + 1 });
    }
  }

  async #settle(each: Extract<Step, { pick: number }>): Promise<void> {
    const leased = [...this.#model].filter(([, held]) => held.owner !== undefined);
    const picked = leased[each.pick % Math.max(1, leased.length)];
    if (!picked) return;
    const [id, held] = picked;
    const by = held.owner ?? '';
    const { db } = this.#store;
    if (each.kind === 'ack') {
      this.#model.delete(id);
      return this.#operations.remove('q', id, by);
    }
    const visibleAt = this.#now + (each.kind === 'retry' ? each.delayMs : 0);
    const wasStarted = each.kind === 'retry';
    this.#free(held);
    held.visibleAt = visibleAt;
    if (!wasStarted) held.deliveries -= 1;
    return returnMessage(db, 'q', id, { owner: by, visibleAt, wasStarted });
  }

  #isFree(held: Held): boolean {
    if (held.leaseUntil !== undefined) return held.leaseUntil <= this.#now;
    return held.visibleAt <= this.#now;
  }

  #free(held: Held): void {
    // A leased message was due already.
    if (held.owner !== undefined) held.visibleAt = 0;
    delete held.owner;
    delete held.leaseUntil;
  }
}
