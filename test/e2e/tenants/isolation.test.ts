// Two organisations on one installation, on every route of the OpenAPI document: neither can see or change
// the other's data, and foreign ids answer 404.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, newTenant, remainingRequests } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { openTwoTenants, send, type TwoTenants, visibleStateOf } from './tenant-rig.ts';
import { caseOf, keepsIdempotencyKeysApart } from './tenant-routes.ts';

suite('two organisations', () => {
  let gateway: TestGateway;
  let world: TwoTenants;
  before(async () => {
    gateway = await startTestGateway();
    world = await openTwoTenants(gateway);
  });
  after(() => gateway.close());

  test("on every route one organisation can neither see nor change the other's data", async (context) => {
    const routes = await routesOf(gateway.url);
    assert.ok(routes.length > 60, `only ${routes.length} routes are documented`);
    for (const [method, path] of routes)
      await context.test(`${method} ${path}`, async () => {
        const attempt = caseOf(`${method} ${path}`);
        assert.ok(
          attempt,
          'this route has no case: say in tenant-routes.ts how it keeps them apart',
        );
        const earlier = await visibleStateOf(world.alice);
        await attempt(world, method, path);
        assert.deepEqual(await visibleStateOf(world.alice), earlier);
      });
  });

  test('the same idempotency key is independent per organisation', () =>
    keepsIdempotencyKeysApart(world));

  test('an organisation that exhausts its limit or budget does not affect the other', async () => {
    const greedy = await newTenant(gateway, { requestsPerMinute: 2 });
    const poor = await newTenant(gateway, { monthlyBudgetUsd: 0 });
    const calm = await newTenant(gateway, { requestsPerMinute: 50 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask(greedy)).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    assert.equal((await ask(poor)).status, 402);
    // Submitting a job counts as a request.
    const job = { model: 'claude-sonnet-4-5', prompt: 'Hello' };
    assert.equal((await send(greedy, 'POST', '/v1/jobs', job)).status, 429);
    assert.equal((await send(calm, 'POST', '/v1/jobs', job)).status, 202);
    assert.equal(remainingRequests(await ask(calm)), 48);
  });
});

/** Method and path of every operation in the OpenAPI document. */
async function routesOf(url: string): Promise<readonly (readonly [string, string])[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method.toUpperCase(), path] as const),
  );
}
