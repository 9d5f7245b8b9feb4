import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../test/contract/server-registry.ts';
import { capacityOf } from './capacity.ts';
import { NO_OPINION } from './opinions.ts';
import { type RecommendationFacts, recommend } from './recommendations.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const EAST = { provider: 'anthropic', region: 'us-east' };

function messages(facts: Partial<RecommendationFacts>): readonly string[] {
  const empty = {
    serverId: 'a',
    snapshot: { now: NOW, servers: [], isStale: false },
    capacity: [],
    targets: [],
    disagreements: [],
  };
  return recommend({ ...empty, ...facts }).map(({ action, message }) => `${action}: ${message}`);
}

test('nothing is recommended for a healthy cluster', () => {
  const servers = [{ ...recordOf('a'), lastHeartbeat: NOW }];
  const facts = { accounts: [EAST], limits: [], circuits: [], headroom: [] };
  assert.deepEqual(
    messages({ snapshot: { now: NOW, servers, isStale: false }, capacity: capacityOf(facts) }),
    [],
  );
});

test('a reached limit asks for a higher tier, and says that servers cannot help', () => {
  const limits = [{ ...EAST, resetAt: NOW + 60_000, kind: 'learnt' }];
  const capacity = capacityOf({ accounts: [EAST], limits, circuits: [], headroom: [] });
  assert.deepEqual(messages({ capacity }), [
    'raise_tier: The limit of anthropic in us-east is reached until 2026-01-15T12:01:00.000Z: raise the tier of the account or add another account; more servers cannot help.',
  ]);
});

test('a forecast of exhaustion asks for a higher tier before the limit is reached', () => {
  const headroom = [{ key: EAST, remainingRatio: 0.2, readAt: NOW, exhaustedAt: NOW + 30_000 }];
  const capacity = capacityOf({ accounts: [EAST], limits: [], circuits: [], headroom });
  assert.match(messages({ capacity })[0] ?? '', /^raise_tier: At the current rate .*T12:00:30/);
});

test('missing replicas are asked for by role', () => {
  const target = { current: 2, desired: 4, reasons: [] };
  assert.deepEqual(
    messages({
      targets: [
        { role: 'gateway', provider: null, ...target },
        { role: 'worker', provider: 'gemini', ...target },
        { role: 'worker', provider: 'openai', ...target, desired: 1 },
      ],
    }),
    [
      'add_server: The gateways are busy: run 4 instead of 2.',
      'add_worker: Jobs for gemini wait: run 4 instead of 2 of its workers.',
    ],
  );
});

test('a refused key and a silent server are named once each', () => {
  const refusedAccounts = [{ provider: 'openai', account: 'default' }];
  const servers = [
    { ...recordOf('a'), opinion: { ...NO_OPINION, refusedAccounts }, lastHeartbeat: NOW },
    { ...recordOf('b'), opinion: { ...NO_OPINION, refusedAccounts }, lastHeartbeat: NOW },
    { ...recordOf('c'), lastHeartbeat: NOW - 20_000 },
  ];
  assert.deepEqual(messages({ snapshot: { now: NOW, servers, isStale: false } }), [
    'replace_key: openai refuses the key of the account default: replace it and restart the servers.',
    'check_server: c has not announced itself for 20 s: check whether it runs and reaches Redis.',
  ]);
});

test('a server that cannot read the registry says so', () => {
  assert.deepEqual(messages({ snapshot: { now: NOW, servers: [], isStale: true } }), [
    'check_redis: a cannot read the registry, and this is its last reading: check its connection to Redis.',
  ]);
});
