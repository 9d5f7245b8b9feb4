import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../test/contract/server-registry.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { findDisagreements } from './disagreements.ts';
import { createOpinionTracker, MAX_OPINION_ENTRIES, type OpinionEntry } from './opinions.ts';
import type { RegisteredServer } from './server-record.ts';

const NOW = 1_000_000;

function serverOf(id: string, lastHeartbeat: number, ...entries: OpinionEntry[]): RegisteredServer {
  const opinion = { entries, refusedAccounts: [] };
  return { ...recordOf(id), opinion, lastHeartbeat };
}

function limit(forMs: number, endsInMs = 60_000): OpinionEntry {
  return { subject: 'limit', provider: 'anthropic', region: 'us-east', forMs, endsInMs };
}

function find(...servers: RegisteredServer[]) {
  return findDisagreements({ now: NOW, servers });
}

test('servers that know the same limit agree', () => {
  assert.deepEqual(find(serverOf('a', NOW, limit(9000)), serverOf('b', NOW - 500, limit(9))), []);
  assert.deepEqual(find(serverOf('a', NOW), serverOf('b', NOW)), []);
});

test('a server that beat long after the others had learnt a limit, without it, disagrees', () => {
  const servers = [
    serverOf('a', NOW, limit(9000)),
    serverOf('b', NOW - 100),
    serverOf('c', NOW, limit(8000)),
  ];
  assert.deepEqual(find(...servers), [
    {
      subject: 'limit',
      provider: 'anthropic',
      region: 'us-east',
      knownBy: ['a', 'c'],
      unknownTo: ['b'],
    },
  ]);
});

test('a limit that was learnt after the other server’s last beat is no disagreement', () => {
  assert.deepEqual(find(serverOf('a', NOW, limit(1500)), serverOf('b', NOW - 1900)), []);
  assert.deepEqual(find(serverOf('a', NOW, limit(900)), serverOf('b', NOW)), []);
});

test('a limit that had ended at the other server’s beat is no disagreement', () => {
  assert.deepEqual(find(serverOf('a', NOW - 1900, limit(9000, 1000)), serverOf('b', NOW)), []);
});

test('a suspected server’s opinion does not count', () => {
  assert.deepEqual(find(serverOf('a', NOW - 7000, limit(9000)), serverOf('b', NOW)), []);
});

test('the tracker states for how long an entry has been known, and starts at zero when it returns', async () => {
  const clock = createTestClock();
  const track = createOpinionTracker(clock);
  const known = {
    provider: 'openai',
    region: 'eu-west',
    model: 'gpt-5',
    resetAt: clock.now() + 60_000,
  };
  const circuit = { key: { provider: 'openai', region: 'eu-west' }, state: 'open' as const };
  track([known], [circuit]);
  await clock.advance(4000);
  const [first, second] = track([known], [circuit]);
  assert.deepEqual(first, {
    subject: 'limit',
    provider: 'openai',
    region: 'eu-west:gpt-5',
    resetAt: known.resetAt,
    forMs: 4000,
    endsInMs: 56_000,
  });
  assert.deepEqual(second, {
    subject: 'circuit',
    provider: 'openai',
    region: 'eu-west',
    state: 'open',
    forMs: 4000,
  });
  track([], []);
  assert.equal(track([known], [])[0]?.forMs, 0);
});

test('an opinion is bounded', () => {
  const track = createOpinionTracker(createTestClock());
  const limits = Array.from({ length: 200 }, (_, index) => ({
    provider: 'openai',
    region: 'eu-west',
    model: `m${index}`,
    resetAt: 1,
  }));
  assert.equal(track(limits, []).length, MAX_OPINION_ENTRIES);
});
