import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ConfigError } from './config-error.ts';
import { loadConfig, loadFrom } from './load-config.ts';
import { BUILT_IN_NAMES } from './providers/built-in-providers.ts';
import { providerVariables, SECTION_VARIABLES } from './schema/variables.ts';
import { sourcesFrom } from './sources.ts';

const ALL_VARIABLES = [...SECTION_VARIABLES, ...BUILT_IN_NAMES.flatMap(providerVariables)];

function load(texts: { env?: Record<string, string>; yaml?: string; dotenv?: string }) {
  const { env = {}, yaml = '', dotenv = '' } = texts;
  return loadFrom(
    sourcesFrom({
      env,
      cwd: '/srv/app',
      configFile: { path: '/srv/app/spillway.yaml', text: yaml },
      dotenvFile: { path: '/srv/app/.env', text: dotenv },
    }),
  );
}

test('without any source, every setting has its documented default', () => {
  const { config } = load({});
  assert.equal(config.server.host, '127.0.0.1');
  assert.equal(config.server.port, 8787);
  assert.equal(config.server.isPortSet, false);
  assert.equal(config.server.bodyLimitBytes, 33_554_432);
  assert.equal(config.storage.dataDir, '/srv/app/.spillway');
  assert.equal(config.storage.redisKeyPrefix, 'spillway:');
  assert.equal(config.storage.redisTtlSeconds, 120);
  assert.equal(config.cluster.maxConcurrentBuilds, 1000);
  assert.equal(config.dispatcher.strategy, 'FIXED');
  assert.equal(config.dispatcher.fixedProvider, 'openai');
  assert.equal(config.dispatcher.overflow, 'next');
  assert.equal(config.dispatcher.rateLimitDelayMs, undefined);
  assert.equal(config.jobs.rawQueue, 'raw-analysis-queue');
  assert.equal(config.providers.gemini.queue, 'gemini-analysis-queue');
  assert.equal(config.providers.gemini.rateLimitPerMinute, 500);
  assert.equal(config.providers.openai.rateLimitPerMinute, 5000);
  assert.equal(config.providers.anthropic.rateLimitPerMinute, 400);
  assert.deepEqual(config.dispatcher.availableProviders, []);
});

test('the environment overrides .env, .env overrides the file, and the file overrides the default', () => {
  const yaml = 'server: { port: 1 }';
  const dotenv = 'PORT=2';
  const origin = (texts: Parameters<typeof load>[0]) => {
    const { config, origins } = load(texts);
    return [config.server.port, origins.get('server.port')];
  };
  assert.deepEqual(origin({}), [8787, undefined]);
  assert.deepEqual(origin({ yaml }), [1, 'file']);
  assert.deepEqual(origin({ yaml, dotenv }), [2, '.env']);
  assert.deepEqual(origin({ yaml, dotenv, env: { PORT: '3' } }), [3, 'environment']);
});

test('an empty variable counts as not set, and an empty environment variable hides the one in .env', () => {
  assert.equal(load({ dotenv: 'PORT=2', env: { PORT: '' } }).config.server.port, 8787);
  assert.equal(load({ yaml: 'server: { port: 1 }', env: { PORT: ' ' } }).config.server.port, 1);
});

test('a key of the file without a value counts as not set', () => {
  assert.equal(load({ yaml: 'server:\n  port:\nstreams:\n' }).config.server.port, 8787);
});

test('isPortSet is true if any source sets the port', () => {
  assert.equal(load({ env: { PORT: '8787' } }).config.server.isPortSet, true);
});

test('the prefetch defaults to the concurrency', () => {
  assert.equal(load({ env: { WORKER_CONCURRENCY: '7' } }).config.worker.prefetch, 7);
  const both = { WORKER_CONCURRENCY: '7', PREFETCH: '20' };
  assert.equal(load({ env: both }).config.worker.prefetch, 20);
});

test('the available providers default to the providers with a key', () => {
  const env = { GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o' };
  assert.deepEqual(load({ env }).config.dispatcher.availableProviders, ['openai', 'gemini']);
  const listed = { ...env, AVAILABLE_PROVIDERS: 'anthropic, gemini' };
  assert.deepEqual(load({ env: listed }).config.dispatcher.availableProviders, [
    'anthropic',
    'gemini',
  ]);
});

test('every record of the configuration is frozen', () => {
  const { config } = load({
    env: { OPENAI_API_KEY: 'k', PROVIDER_WEIGHTS: 'openai:1', INTER_SERVER_SECRET: 's'.repeat(32) },
    yaml: 'aliases: { fast: { targets: [openai/gpt-5-mini] } }\nmodels: { m: { reasoning: yes } }',
  });
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    assert.ok(Object.isFrozen(value));
    Object.values(value).forEach(visit);
  };
  visit(config);
});

test('a lookup with a name from a request finds only configured entries', () => {
  const { providers, aliases, models, dispatcher } = load({}).config;
  for (const map of [providers, aliases, models, dispatcher.weights, dispatcher.metadata])
    assert.equal(map['constructor'], undefined);
});

test('the files are read from the working folder, and another file by its path', (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'spillway-config-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'spillway.yaml'), 'server: { port: 1000, host: localhost }');
  writeFileSync(join(cwd, 'other.yaml'), 'server: { port: 2000 }');
  writeFileSync(join(cwd, '.env'), 'HOST=127.0.0.2\n');
  assert.equal(loadConfig({ env: {}, cwd }).server.port, 1000);
  assert.equal(loadConfig({ env: {}, cwd }).server.host, '127.0.0.2');
  assert.equal(loadConfig({ env: {}, cwd, configFile: 'other.yaml' }).server.port, 2000);
  assert.throws(() => loadConfig({ env: {}, cwd, configFile: 'absent.yaml' }), {
    name: 'ConfigError',
    message: '--config is absent.yaml, but it must be the path of a file that exists.',
  });
  assert.throws(
    () => loadConfig({ env: {}, cwd, configFile: '.' }),
    /cannot be read \(EISDIR\)\.$/,
  );
});

test('loading arbitrary environments returns a configuration or throws ConfigError', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('true', '0', '1e9', '-1', 'a:1,b:2', '{}', '[]', '{"openai":{"cost":1}}'),
    fc.webUrl(),
    fc.json(),
  );
  const env = fc.dictionary(fc.constantFrom(...ALL_VARIABLES), value, { maxKeys: 4 });
  fc.assert(fc.property(env, (given) => isOneSentence(() => load({ env: given }))));
});

test('loading arbitrary files returns a configuration or throws ConfigError', () => {
  const section = fc.constantFrom('server', 'providers', 'aliases', 'models', 'dispatcher', '{');
  const json = fc.tuple(section, fc.json()).map(([name, value]) => `${name}: ${value}`);
  const yaml = fc.oneof(json, fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(yaml, fc.string(), (text, dotenv) =>
      isOneSentence(() => load({ yaml: text, dotenv })),
    ),
  );
});

function isOneSentence(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    return error instanceof ConfigError && /^[^\r\n]+\.$/.test(error.message);
  }
}
