// Copies beside a simulated Redis: answers and messages arrive late, messages are lost, the data is wiped. Whatever the
// order, once everything has arrived all copies agree with Redis.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import type { ProviderLimit } from '../../../admission/provider-limits.ts';
import { type Change, LimitCopy, type Mark } from './limit-copy.ts';
import { limitKey } from './limit-record.ts';

const clock = createTestClock();
const REGIONS = ['us-east', 'eu-west'] as const;
const KEYS = REGIONS.map((region) => limitKey({ provider: 'anthropic', region }));

type Delivery = () => void;

class Server {
  readonly copy = new LimitCopy(clock);
  readonly answers: Delivery[] = [];
  readonly messages: Delivery[] = [];
  readonly #inFlight = new Set<string>();

  send(redis: FakeRedis, key: string): void {
    const change = this.copy.pending(key);
    if (!change || this.#inFlight.has(key)) return;
    this.#inFlight.add(key);
    const there = redis.change(key, change);
    const { mark } = redis;
    this.answers.push(() => {
      this.#inFlight.delete(key);
      this.copy.confirm(key, change, mark, there);
    });
  }

  read(redis: FakeRedis): void {
    const { mark } = redis;
    const found = KEYS.map((key) => [key, redis.limits.get(key)] as const);
    this.answers.push(() => {
      for (const [key, limit] of found) this.copy.learn(key, mark, limit);
      this.copy.dropTombstones(mark);
    });
  }
}

class FakeRedis {
  readonly servers = [new Server(), new Server(), new Server()] as const;
  readonly limits = new Map<string, ProviderLimit>();
  mark: Mark = { epoch: '1', version: 1 };

  change(key: string, { clears, limit }: Change): ProviderLimit | undefined {
    const before = this.limits.get(key);
    if (clears) this.limits.delete(key);
    const known = clears ? undefined : before;
    if (limit && limit.resetAt > (known?.resetAt ?? 0)) this.limits.set(key, limit);
    if (this.limits.get(key) !== before) this.#announce(key);
    return this.limits.get(key);
  }

  wipe(): void {
    this.limits.clear();
    this.mark = { epoch: `${this.mark.epoch}+`, version: 1 };
  }

  #announce(key: string): void {
    this.mark = { ...this.mark, version: this.mark.version + 1 };
    const { mark } = this;
    const limit = this.limits.get(key);
    for (const { copy, messages } of this.servers)
      messages.push(() => copy.learn(key, mark, limit));
  }

  settle({ withReads }: { withReads: boolean }): void {
    for (let round = 0; round < 10; round += 1) {
      for (const server of this.servers) {
        for (const key of KEYS) server.send(this, key);
        if (withReads) server.read(this);
        for (const deliver of server.messages.splice(0)) deliver();
        for (const deliver of server.answers.splice(0)) deliver();
      }
    }
  }
}

const step = fc.record({
  doing: fc.constantFrom(
    'set',
    'set',
    'clear',
    'send',
    'send',
    'read',
    'answer',
    'message',
    'lose',
    'wipe',
  ),
  server: fc.nat({ max: 2 }),
  scope: fc.nat({ max: REGIONS.length - 1 }),
  laterMs: fc.integer({ min: 1, max: 1000 }),
});

const anySteps = fc.array(step, { maxLength: 60, size: 'max' });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function run(steps: readonly Step[], withReads: boolean): void {
  const redis = new FakeRedis();
  for (const { doing, server, scope, laterMs } of steps) act(redis, doing, server, scope, laterMs);
  redis.settle({ withReads });
  for (const { copy } of redis.servers) {
    assert.deepEqual(new Set(copy.list()), new Set(redis.limits.values()));
    for (const key of KEYS) assert.equal(copy.pending(key), undefined);
  }
}

test('copies converge on Redis, whatever is late, lost or wiped', () => {
  const property = fc.property(anySteps, (steps) => run(steps, true));
  fc.assert(property, { numRuns: 2000 });
});

test('without losses, messages and answers alone make the copies converge', () => {
  const isLoss = ({ doing }: Step) => doing === 'lose' || doing === 'wipe';
  const property = fc.property(anySteps, (steps) =>
    run(
      steps.filter((each) => !isLoss(each)),
      false,
    ),
  );
  fc.assert(property, { numRuns: 2000 });
});

test('a limit that a server set stays in force there until it is cleared', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const redis = new FakeRedis();
      const latest = redis.servers.map(() => 0);
      for (const { doing, server, laterMs } of steps.filter((each) => each.doing !== 'clear')) {
        act(redis, doing, server, 0, laterMs);
        if (doing === 'set') latest[server] = Math.max(latest[server] ?? 0, clock.now() + laterMs);
        for (const [index, { copy }] of redis.servers.entries()) {
          const resetAt = copy.active({ provider: 'anthropic', region: REGIONS[0] })?.resetAt ?? 0;
          assert.ok(resetAt >= (latest[index] ?? 0));
        }
      }
    }),
    { numRuns: 1000 },
  );
});

function act(redis: FakeRedis, doing: string, index: number, scope: number, laterMs: number): void {
  const server = redis.servers[index];
  const [region, key] = [REGIONS[scope], KEYS[scope]];
  assert.ok(server && region && key);
  const setAt = clock.now();
  const fields = { provider: 'anthropic', region, setBy: `srv-${index}`, setAt } as const;
  if (doing === 'set') server.copy.set({ ...fields, resetAt: setAt + laterMs, kind: 'learnt' });
  else if (doing === 'clear') server.copy.clear(key);
  else if (doing === 'send') server.send(redis, key);
  else if (doing === 'read') server.read(redis);
  else if (doing === 'answer') server.answers.shift()?.();
  else if (doing === 'message') server.messages.shift()?.();
  else if (doing === 'lose') server.messages.splice(0);
  else redis.wipe();
}
