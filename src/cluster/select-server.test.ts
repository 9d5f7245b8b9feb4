import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { recordOf } from '../../test/contract/server-registry.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { type LogEntry, silentLog } from '../kernel/log.ts';
import { NO_OPINION } from './opinions.ts';
import { exclusionReason, rankServers, type SelectionTerms } from './select-server.ts';
import type { RegisteredServer } from './server-record.ts';
import { createServerSelector } from './server-selector.ts';

const NOW = 1_000_000;
const CALL = { provider: 'anthropic', model: 'claude-sonnet-5-5' };
const TERMS: SelectionTerms = {
  call: CALL,
  excluded: new Set(['self']),
  isLimited: () => false,
};

function serverOf(id: string, own: Partial<RegisteredServer> = {}): RegisteredServer {
  return { ...recordOf(id), lastHeartbeat: NOW, ...own };
}

const servers: fc.Arbitrary<RegisteredServer[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.constantFrom('self', 'a', 'b', 'c', 'd', 'e', 'f'),
      priority: fc.constantFrom(1, 2, 3),
      currentLoad: fc.nat(120),
      health: fc.constantFrom('healthy' as const, 'degraded' as const, 'unhealthy' as const),
      isMaintenanceMode: fc.boolean(),
      isDraining: fc.boolean(),
      isGateway: fc.boolean(),
      lastHeartbeat: fc.constantFrom(NOW, NOW - 6000, NOW - 6001),
      region: fc.constantFrom('us-east', 'eu-west'),
    })
    .map(({ id, region, ...own }) =>
      serverOf(id, {
        region,
        ...own,
        capabilities: {
          providers: ['anthropic'],
          models: ['claude-*'],
          scopes: [{ provider: 'anthropic', region }],
        },
      }),
    ),
  { selector: ({ id }) => id },
);

/** fast-check shrinks the draws, so a failure is reproducible. */
const draws = fc.infiniteStream(fc.double({ min: 0, max: 0.999999, noNaN: true }));

function rank(all: readonly RegisteredServer[], random: () => number, terms = TERMS) {
  return rankServers({ now: NOW, servers: all }, terms, random);
}

test('exactly the servers without a reason against them are ranked, each once, by priority', () => {
  fc.assert(
    fc.property(servers, draws, (all, numbers) => {
      const ranked = rank(all, () => Number(numbers.next().value));
      const able = all.filter((server) => exclusionReason(server, TERMS, NOW) === undefined);
      assert.deepEqual(ranked.map(({ id }) => id).toSorted(), able.map(({ id }) => id).toSorted());
      for (const [index, server] of ranked.entries())
        assert.ok(server.priority <= (ranked[index + 1]?.priority ?? Number.POSITIVE_INFINITY));
      for (const { isDraining, isMaintenanceMode, health, currentLoad, id } of ranked) {
        assert.equal(isDraining || isMaintenanceMode || health === 'unhealthy', false);
        assert.ok(currentLoad < 100 && id !== 'self');
      }
    }),
  );
});

test('the most loaded of two or more equals is never first', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(99), { minLength: 2, maxLength: 20 }),
      draws,
      (loads, numbers) => {
        const all = loads.map((currentLoad, index) => serverOf(`s${index}`, { currentLoad }));
        const [first] = rank(all, () => Number(numbers.next().value));
        assert.notEqual(first?.currentLoad, Math.max(...loads));
      },
    ),
  );
});

test('equals share simultaneous choices instead of all choosing the least loaded', () => {
  const all = Array.from({ length: 10 }, (_, index) =>
    serverOf(`s${index}`, { currentLoad: index }),
  );
  const firsts = new Set<string | undefined>();
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let call = 0; call < 500; call += 1) firsts.add(rank(all, random)[0]?.id);
  assert.equal(firsts.size, 9);
});

test('a server is excluded for each reason', () => {
  const limited = {
    ...NO_OPINION,
    entries: [
      { subject: 'limit', provider: 'anthropic', region: 'us-east', forMs: 0, endsInMs: 1000 },
    ],
  } as const;
  const cases: [Partial<RegisteredServer>, string | undefined][] = [
    [{}, undefined],
    [{ id: 'self' }, 'excluded'],
    [{ isGateway: false }, 'no_gateway'],
    [{ url: undefined }, 'no_gateway'],
    [{ lastHeartbeat: NOW - 6001 }, 'suspected'],
    [{ isMaintenanceMode: true }, 'maintenance'],
    [{ isDraining: true }, 'draining'],
    [{ health: 'unhealthy' }, 'unhealthy'],
    [{ health: 'degraded' }, undefined],
    [{ currentLoad: 100 }, 'full'],
    [{ capabilities: { providers: ['openai'], models: ['*'], scopes: [] } }, 'incapable'],
    [{ capabilities: { providers: ['anthropic'], models: ['gpt-*'], scopes: [] } }, 'incapable'],
    [{ opinion: limited }, 'limited'],
  ];
  for (const [own, reason] of cases)
    assert.equal(exclusionReason(serverOf('a', own), TERMS, NOW), reason, JSON.stringify(own));
});

test('a limit in a server’s own region excludes it, and one in another region or of another model does not', () => {
  const limited = (region: string, model?: string): SelectionTerms => ({
    ...TERMS,
    isLimited: (scope) => scope.region === region && (model === undefined || model === scope.model),
  });
  const server = serverOf('a');
  assert.equal(exclusionReason(server, limited('us-east'), NOW), 'limited');
  assert.equal(exclusionReason(server, limited('eu-west'), NOW), undefined);
  assert.equal(exclusionReason(server, limited('us-east', CALL.model), NOW), 'limited');
  assert.equal(exclusionReason(server, limited('us-east', 'another'), NOW), undefined);
});

test('a server with a second account that is not limited can take the call', () => {
  const scopes = [
    { provider: 'anthropic', region: 'us-east' },
    { provider: 'anthropic', region: 'us-east', account: 'second' },
  ];
  const server = serverOf('a', { capabilities: { ...recordOf('a').capabilities, scopes } });
  const terms = {
    ...TERMS,
    isLimited: ({ account }: { account?: string | undefined }) => !account,
  };
  assert.equal(exclusionReason(server, terms, NOW), undefined);
});

test('one critical entry is logged when no server is left, and again only after a success', async () => {
  const entries: LogEntry[] = [];
  let all = [serverOf('self'), serverOf('a', { isDraining: true })];
  const selector = createServerSelector({
    directory: { snapshot: async () => ({ now: NOW, servers: all, isStale: false }) },
    clock: createTestClock(),
    log: { ...silentLog, write: (entry) => void entries.push(entry) },
  });
  for (let call = 0; call < 3; call += 1) assert.deepEqual(await selector.select(TERMS), []);
  assert.equal(entries.length, 1);
  assert.deepEqual(
    [entries[0]?.level, entries[0]?.type, entries[0]?.metadata],
    ['critical', 'capacity', { provider: 'anthropic', availableCount: 0, totalRegistered: 2 }],
  );
  all = [serverOf('a')];
  assert.equal((await selector.select(TERMS)).length, 1);
  all = [];
  await selector.select(TERMS);
  assert.equal(entries.length, 2);
});
