import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeConfig } from './describe-config.ts';
import { loadFrom } from './load-config.ts';
import { maskConfig } from './mask-config.ts';
import { sourcesFrom } from './sources.ts';

const CANARY = 'CANARYcanaryCANARYcanaryCANARYcanary';

const SECRETS = {
  SPILLWAY_ADMIN_KEY: CANARY,
  SPILLWAY_API_KEY: CANARY,
  SPILLWAY_HASH_KEY: CANARY,
  INTER_SERVER_SECRET: `${CANARY}1,${CANARY}2`,
  DATABASE_URL: `postgres://app:${CANARY}@db/x?password=${CANARY}`,
  REDIS_URL: `redis://:${CANARY}@cache`,
  RABBITMQ_URL: `amqp://guest:${CANARY}@broker`,
  SENTRY_DSN: `https://${CANARY}@sentry.example/1`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `https://user:${CANARY}@collector`,
  ALERT_WEBHOOK_URL: `https://hooks.example/${CANARY}`,
  ANTHROPIC_API_KEY: CANARY,
  SECOND: `${CANARY}3`,
};

const YAML = `providers:
  anthropic: { accounts: [{ name: second, apiKeyVariable: SECOND }] }
  groq: { baseUrl: 'https://api.groq.com/openai/v1', apiKey: ${CANARY} }`;

const loaded = loadFrom(
  sourcesFrom({ env: SECRETS, cwd: '/', configFile: { path: '/spillway.yaml', text: YAML } }),
);

test('the masked configuration and its description contain at most four characters of a secret', () => {
  for (const shown of [maskConfig(loaded.config), describeConfig(loaded)])
    assert.doesNotMatch(JSON.stringify(shown), /anary/i);
});

test('masking changes only secrets', () => {
  const masked = maskConfig(loaded.config);
  assert.equal(masked.auth.adminKey, '****nary');
  assert.deepEqual(masked.cluster.interServerSecrets, ['****ary1', '****ary2']);
  assert.equal(masked.storage.databaseUrl, 'postgres://app:****@db/x?password=****');
  assert.deepEqual(masked.server, loaded.config.server);
  assert.deepEqual(masked.timeouts, loaded.config.timeouts);
  assert.equal(masked.providers.anthropic.baseUrl, 'https://api.anthropic.com');
  assert.equal(masked.auth.apiKey === loaded.config.auth.apiKey, false);
});

test('the description names the source of each value', () => {
  const groups = new Map(describeConfig(loaded).map((group) => [group.path, group.values]));
  const sourceOf = (path: string, key: string): string | undefined =>
    groups.get(path)?.find((each) => each.key === key)?.source;
  assert.equal(sourceOf('server', 'port'), 'default');
  assert.equal(sourceOf('storage', 'redisUrl'), 'environment');
  assert.equal(sourceOf('providers.anthropic', 'accounts.default'), 'environment');
  assert.equal(sourceOf('providers.anthropic', 'accounts.second'), 'environment');
  assert.equal(sourceOf('providers.groq', 'accounts.default'), 'file');
  assert.equal(sourceOf('providers.groq', 'baseUrl'), 'file');
});
