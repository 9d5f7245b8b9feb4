import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { loadFrom } from '../load-config.ts';
import { sourcesFrom } from '../sources.ts';
import type { Role } from './simulator-stand-in.ts';
import { assertProviders, isLoopback, usesSimulator, withSimulator } from './simulator-stand-in.ts';

function load(env: Record<string, string>, yaml = ''): Config {
  const configFile = { path: '/etc/spillway.yaml', text: yaml };
  return loadFrom(sourcesFrom({ env, cwd: '/', configFile })).config;
}

const SERVE = { role: 'serve' } as const;

test('serve on embedded storage and a loopback address uses the simulator', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.8.0.9']) {
    const config = load({ HOST: host });
    assert.equal(usesSimulator(config, SERVE), true);
    assertProviders(config, SERVE);
  }
});

test('any other server without a provider key does not start', () => {
  const ending =
    'needs a provider key, but none of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY and no key of a provider in the file is set.';
  const shared = { SPILLWAY_ADMIN_KEY: 'an-admin-key-of-32-or-more-letters' };
  const refused: readonly (readonly [Record<string, string>, Role, string])[] = [
    [{ HOST: '0.0.0.0' }, 'serve', 'on HOST "0.0.0.0", which is not loopback,'],
    [{}, 'gateway', 'in the role "gateway"'],
    [{}, 'worker', 'in the role "worker"'],
    [{}, 'dispatcher', 'in the role "dispatcher"'],
    [{ ...shared, DATABASE_URL: 'postgres://db' }, 'serve', 'with DATABASE_URL'],
    [{ REDIS_URL: 'redis://cache' }, 'serve', 'with REDIS_URL'],
  ];
  for (const [env, role, reason] of refused) {
    const config = load(env);
    assert.equal(usesSimulator(config, { role }), false);
    const message = `A server ${reason} ${ending}`;
    assert.throws(() => assertProviders(config, { role }), { name: 'ConfigError', message });
  }
});

test('one key of any provider is enough and turns the simulator off', () => {
  const file = 'providers: { groq: { baseUrl: "https://h/v1", apiKey: k } }';
  for (const config of [load({ GEMINI_API_KEY: 'k' }), load({}, file)]) {
    assert.equal(usesSimulator(config, SERVE), false);
    assertProviders(config, { role: 'worker' });
  }
});

test('the simulator replaces the three built-in providers', () => {
  const config = withSimulator(load({}), 'http://127.0.0.1:4000');
  const { anthropic, openai, gemini } = config.providers;
  assert.deepEqual(
    [anthropic, openai, gemini].map((provider) => provider.baseUrl),
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/v1', 'http://127.0.0.1:4000'],
  );
  assert.ok([anthropic, openai, gemini].every((provider) => provider.hasKey));
  assert.equal(openai.accounts[0]?.requestsPerMinute, 5000);
  assert.deepEqual(config.dispatcher.availableProviders, ['anthropic', 'openai', 'gemini']);
  assert.ok(Object.isFrozen(config.providers.openai.accounts));
});

test('a host name that resembles a loopback address is not loopback', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.example'])
    assert.equal(isLoopback(host), false);
});
