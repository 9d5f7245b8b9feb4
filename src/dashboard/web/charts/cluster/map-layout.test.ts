import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ClusterServer } from '../../../api/cluster.ts';
import { mapLayout, SERVER_WIDTH } from './map-layout.ts';
import { disagreementText, serverState } from './server-state.ts';

function server(id: string, region: string, changes: Partial<ClusterServer> = {}): ClusterServer {
  const counts = { local: {}, proxied: {}, failed: {} };
  return {
    id,
    incarnation: '1',
    version: '0.1.0',
    region,
    isGateway: true,
    isDispatcher: false,
    workers: [],
    maxConcurrentBuilds: 10,
    currentLoad: 0,
    health: 'healthy',
    priority: 0,
    isMaintenanceMode: false,
    isDraining: false,
    capabilities: { providers: [], models: [], scopes: [] },
    opinion: { entries: [], refusedAccounts: [] },
    routing: counts,
    lastHeartbeat: 0,
    isSuspected: false,
    sinceHeartbeatMs: 0,
    ...changes,
  };
}

test('servers of a region are in its box and no two servers overlap', () => {
  const region = fc.constantFrom('eu', 'us', 'asia');
  fc.assert(
    fc.property(
      fc.array(region, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 300, max: 2000 }),
      (regions, width) => {
        const servers = regions.map((name, index) => server(`s${index}`, name));
        const picture = mapLayout({ servers, forwarding: [] }, width);
        const places = new Set(picture.servers.map(({ x, y }) => `${x} ${y}`));
        assert.equal(places.size, servers.length);
        for (const { x } of picture.servers) assert.ok(x + SERVER_WIDTH <= width);
      },
    ),
  );
});

test('an arrow exists per pair of known servers that forwards requests', () => {
  const servers = [server('a', 'eu'), server('b', 'us')];
  const forwarding = [
    { from: 'a', to: 'b', count: 12 },
    { from: 'a', to: 'gone', count: 3 },
    { from: 'b', to: 'a', count: 0 },
  ];
  const { arrows } = mapLayout({ servers, forwarding }, 800);
  assert.deepEqual(
    arrows.map(({ key }) => key),
    ['a b'],
  );
});

test('arrows in both directions bend to different sides', () => {
  const servers = [server('a', 'eu'), server('b', 'eu')];
  const forwarding = [
    { from: 'a', to: 'b', count: 1 },
    { from: 'b', to: 'a', count: 1 },
  ];
  const [there, back] = mapLayout({ servers, forwarding }, 800).arrows;
  assert.notEqual(Math.sign((there?.label.y ?? 0) - 58), Math.sign((back?.label.y ?? 0) - 58));
});

test('a silent server is bad even while it drains', () => {
  assert.equal(
    serverState(server('a', 'eu', { isSuspected: true, isDraining: true })).word,
    'silent',
  );
  assert.equal(serverState(server('a', 'eu', { isDraining: true })).word, 'draining');
  assert.equal(serverState(server('a', 'eu')).tone, 'good');
});

test('a disagreement names both sides', () => {
  const text = disagreementText({
    subject: 'limit',
    provider: 'anthropic',
    region: 'us-east',
    knownBy: ['a'],
    unknownTo: ['b', 'c'],
  });
  assert.equal(text, 'a knows a limit of anthropic us-east; b and c do not.');
});
