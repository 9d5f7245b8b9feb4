import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolatedDatabase, servicesFromEnv } from './services-from-env.ts';

test('a missing service is reported only when a test reads it', () => {
  const addresses = servicesFromEnv({ REDIS_URL: 'redis://127.0.0.1:1' });
  assert.equal(addresses.redisUrl, 'redis://127.0.0.1:1');
  assert.throws(() => addresses.databaseUrl, /^Error: DATABASE_URL is not set, .*`npm test`/);
});

test('every test file gets its own database on the same server', () => {
  const given = 'postgres://user:pass@127.0.0.1:5/postgres?sslmode=disable';
  const first = isolatedDatabase(given, 'jobs store');
  assert.match(first.name, /^spillway_test_jobs_store_[0-9a-f]{12}$/);
  assert.equal(first.url, `postgres://user:pass@127.0.0.1:5/${first.name}?sslmode=disable`);
  assert.equal(first.createSql, `CREATE DATABASE ${first.name}`);
  assert.notEqual(first.name, isolatedDatabase(given, 'jobs store').name);
});
