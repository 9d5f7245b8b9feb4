// Caller keys: a key revoked at one server stops working at every server within five seconds, on every route;
// and stored key material, in either store, is useless to a thief.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type MoneyCluster, openMoneyCluster } from '../../support/budgets/money-cluster.ts';
import { administer, ask, newTenant } from '../../support/gateway/call-rig.ts';
import { openEventStream } from '../../support/gateway/event-stream.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { runOn } from '../../support/stores/isolated-postgres.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { send } from './tenant-rig.ts';

/** The documented promise, hence a duration in a test. */
const REVOKED_WITHIN_MS = 5000;

suite('keys on two gateways with PostgreSQL and Redis', { timeout: 170_000 }, () => {
  test('a revoked key, and every key of a deleted organisation, stops at both servers within five seconds', async () => {
    const folder = makeTempFolder();
    const services = servicesFromEnv(process.env);
    const money = await openMoneyCluster(services, folder, { gateways: 2 });
    try {
      await assertRevokedEverywhere(money);
      await assertDeletedEverywhere(money);
    } finally {
      await money.cluster.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function assertDeletedEverywhere({ cluster, gateways }: MoneyCluster): Promise<void> {
  const [first] = gateways;
  assert.ok(first);
  const operator = { url: first.url, adminKey: cluster.adminKey };
  const { organizationId, apiKey } = await newTenant(operator, {});
  const places = gateways.map(({ url }) => ({ url, apiKey }));
  for (const place of places) assert.equal((await ask(place)).status, 200);
  await administer(operator, 'DELETE', `/admin/orgs/${organizationId}`);
  const deletedAt = performance.now();
  for (const place of places)
    while ((await ask(place)).status !== 401)
      assert.ok(performance.now() - deletedAt < REVOKED_WITHIN_MS, `${place.url} still serves it`);
}

async function assertRevokedEverywhere({ cluster, gateways }: MoneyCluster): Promise<void> {
  const [first, second] = gateways;
  assert.ok(first && second);
  const operator = { url: first.url, adminKey: cluster.adminKey };
  const { organizationId, apiKey } = await newTenant(operator, {});
  const places = gateways.map(({ url }) => ({ url, apiKey }));
  for (const place of places) assert.equal((await ask(place)).status, 200);
  const events = `${second.url}/v1/builds/long-work/events`;
  const reader = await openEventStream(events, { authorization: `Bearer ${apiKey}` });
  assert.equal(reader.status, 200);
  assertUseless(apiKey, await dumpOf(cluster.env['DATABASE_URL'] ?? ''), 'PostgreSQL');

  const path = `/admin/orgs/${organizationId}/keys`;
  const { data } = await administer(operator, 'GET', path);
  const [key] = data as readonly { readonly id: string }[];
  await administer(operator, 'DELETE', `${path}/${key?.id}`);
  const revokedAt = performance.now();
  for (const place of places)
    while ((await ask(place)).status !== 401)
      assert.ok(performance.now() - revokedAt < REVOKED_WITHIN_MS, `${place.url} still serves it`);
  for (const place of places)
    for (const [method, route] of await routesForKeys(place.url)) {
      const body = method === 'POST' ? {} : undefined;
      const answer = await send(place, method, route.replaceAll(/\{\w+\}/g, 'x'), body);
      assert.equal(answer.status, 401, `${method} ${route}: ${answer.text}`);
    }
  // A live follower gets nothing more: the next event finds the key revoked.
  const other = await administer(operator, 'POST', path, { name: 'another' });
  const writer = { url: first.url, apiKey: String(other['key']) };
  const told = await send(writer, 'POST', '/v1/builds/long-work/events', {
    type: 'text',
    text: 'not for everybody',
  });
  assert.equal(told.status, 201);
  const requestCount = await reader.rest();
  assert.ok(!JSON.stringify(requestCount).includes('not for everybody'));
}

test('key material in the embedded store and the journal is useless to a thief', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const tenant = await newTenant(gateway);
  assert.equal((await ask(tenant)).status, 200);
  const job = { model: 'claude-sonnet-4-5', prompt: 'Hello' };
  const receipt = await send(tenant, 'POST', '/v1/jobs', job, { 'idempotency-key': 'one' });
  assert.equal(receipt.status, 202);
  assertUseless(tenant.apiKey, bytesIn(gateway.dataDir), 'the data folder');
});

/** Every row of every table, as text. */
async function dumpOf(databaseUrl: string): Promise<Buffer> {
  const tables = await runOn(
    databaseUrl,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'spillway'`,
  );
  assert.ok(tables.length > 5);
  const rows = await Promise.all(
    tables.map(({ name }) =>
      runOn(databaseUrl, `select row_to_json(t)::text from ${String(name)} t`),
    ),
  );
  return Buffer.from(JSON.stringify(rows));
}

function bytesIn(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const found = files.filter((file) => file.isFile());
  assert.ok(found.some(({ name }) => name === 'spillway.db'));
  return Buffer.concat(found.map((file) => readFileSync(join(file.parentPath, file.name))));
}

/** Neither the key, nor its random part, nor an encoding of either, nor an unkeyed hash. */
function assertUseless(key: string, stored: Buffer, where: string): void {
  const random = key.slice('sk-spill-'.length);
  const texts = [key, random].flatMap((text) => {
    const bytes = Buffer.from(text);
    const digest = createHash('sha256').update(text).digest();
    return [
      text,
      text.slice(0, -6),
      bytes.toString('base64').slice(0, -4),
      bytes.toString('base64url').slice(0, -4),
      bytes.toString('hex'),
      encodeURIComponent(text),
      digest.toString('hex'),
      digest.toString('base64'),
      digest.toString('base64url'),
    ];
  });
  for (const text of texts) assert.ok(!stored.includes(text), `${where} holds ${text}`);
  const hash = createHash('sha256').update(key).digest();
  assert.ok(!stored.includes(hash), `${where} holds a plain hash of the key`);
}

/** Routes that accept an organisation's key, from the OpenAPI document. */
async function routesForKeys(url: string): Promise<readonly (readonly [string, string])[]> {
  type Operations = Record<string, { readonly security?: readonly object[] }>;
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Operations> };
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security?.some((way) => 'key' in way))
      .map(([method]) => [method.toUpperCase(), path] as const),
  );
  assert.ok(found.length > 30);
  return found;
}
