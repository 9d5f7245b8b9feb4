// Two organisations on one installation, by every route of the API's own document: neither sees the other, neither
// touches the other, and what is somebody else's is not there.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, newTenant, remainingRequests } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { openWorld, send, standingOf, type World } from './tenant-rig.ts';
import { triesHerIdempotencyKey, tryOf } from './tenant-routes.ts';

suite('two organisations', () => {
  let gateway: TestGateway;
  let world: World;
  before(async () => {
    gateway = await startTestGateway();
    world = await openWorld(gateway);
  });
  after(() => gateway.close());

  test('by every route there is, one neither sees nor touches the other', async (context) => {
    const routes = await routesOf(gateway.url);
    assert.ok(routes.length > 60, `only ${routes.length} routes are documented`);
    for (const [method, path] of routes)
      await context.test(`${method} ${path}`, async () => {
        const attempt = tryOf(`${method} ${path}`);
        assert.ok(
          attempt,
          'this route has no case: say in tenant-routes.ts how it keeps them apart',
        );
        const earlier = await standingOf(world.alice);
        await attempt(world, method, path);
        assert.deepEqual(await standingOf(world.alice), earlier);
      });
  });

  test('the same idempotency key means something else to each', () =>
    triesHerIdempotencyKey(world));

  test('one that used up its limit or its money leaves the other its own', async () => {
    const greedy = await newTenant(gateway, { requestsPerMinute: 2 });
    const poor = await newTenant(gateway, { monthlyBudgetUsd: 0 });
    const calm = await newTenant(gateway, { requestsPerMinute: 50 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask(greedy)).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    assert.equal((await ask(poor)).status, 402);
    // Handing in a job is a request like any other.
    const job = { model: 'claude-sonnet-4-5', prompt: 'Hello' };
    assert.equal((await send(greedy, 'POST', '/v1/jobs', job)).status, 429);
    assert.equal((await send(calm, 'POST', '/v1/jobs', job)).status, 202);
    assert.equal(remainingRequests(await ask(calm)), 48);
  });
});

/** Method and path of every operation that the document knows. */
async function routesOf(url: string): Promise<readonly (readonly [string, string])[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method.toUpperCase(), path] as const),
  );
}
