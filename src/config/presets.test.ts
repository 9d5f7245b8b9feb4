import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadFrom } from './load-config.ts';
import { PRESETS } from './presets.ts';
import type { Rows } from './schema/setting.ts';
import { SETTINGS } from './schema/settings.ts';
import { sourcesFrom } from './sources.ts';

function load(env: Record<string, string>, yaml = '', dotenv = '') {
  return loadFrom(
    sourcesFrom({
      env,
      cwd: '/srv',
      configFile: { path: '/srv/spillway.yaml', text: yaml },
      dotenvFile: { path: '/srv/.env', text: dotenv },
    }),
  );
}

test('the preset plan delays overflow for 30 s, opens circuits by failures alone and reads classic events', () => {
  const { config, origins } = load({}, 'compat: plan');
  assert.equal(config.compat, 'plan');
  assert.equal(config.dispatcher.overflow, 'delay');
  assert.equal(config.dispatcher.rateLimitDelayMs, 30_000);
  assert.equal(config.breaker.ratio, 0);
  assert.equal(config.breaker.failures, 5);
  assert.equal(config.jobs.resultsIncludeFailures, false);
  assert.deepEqual(config.events, { fields: 'classic', unownedOrganization: 'default' });
  assert.equal(origins.get('compat'), 'file');
  assert.equal(origins.get('dispatcher.overflow'), 'preset');
  assert.equal(origins.get('breaker.failures'), undefined);
});

test('the variable, .env and the file name the same preset', () => {
  const presets = [
    load({ SPILLWAY_COMPAT: 'plan' }),
    load({}, '', 'SPILLWAY_COMPAT=plan'),
    load({}, 'compat: plan'),
  ];
  const [first, ...others] = presets.map(({ config }) => config);
  for (const other of others) assert.deepEqual(other, first);
});

test('every source of a setting wins over the preset', () => {
  const yaml = 'compat: plan\nbreaker: { ratio: 0.25 }';
  const { config, origins } = load(
    { PROVIDER_OVERFLOW: 'next' },
    yaml,
    'BUILD_EVENT_FIELDS=current',
  );
  assert.equal(config.dispatcher.overflow, 'next');
  assert.equal(config.breaker.ratio, 0.25);
  assert.equal(config.events.fields, 'current');
  assert.equal(config.dispatcher.rateLimitDelayMs, 30_000);
  assert.equal(origins.get('breaker.ratio'), 'file');
});

test('a delay of 0 restores the exact delay under the preset', () => {
  const { config, origins } = load({ SPILLWAY_COMPAT: 'plan', RATE_LIMIT_DELAY_MS: '0' });
  assert.equal(config.dispatcher.rateLimitDelayMs, undefined);
  assert.equal(origins.get('dispatcher.rateLimitDelayMs'), 'environment');
});

test('an unknown preset is refused', () => {
  assert.throws(() => load({ SPILLWAY_COMPAT: 'plans' }), {
    name: 'ConfigError',
    message: 'SPILLWAY_COMPAT is "plans", but it must be plan.',
  });
  assert.throws(() => load({}, 'compt: plan'), /compt in spillway.yaml is not a known key.*compat/);
});

test('every value of a preset is allowed by its setting and differs from the default', () => {
  const tables: Readonly<Record<string, Rows>> = SETTINGS;
  for (const preset of Object.values(PRESETS))
    for (const [section, values] of Object.entries(preset))
      for (const [key, value] of Object.entries(values)) {
        const row = tables[section]?.[key];
        assert.ok(row, `${section}.${key}`);
        assert.deepEqual(row.kind.schema.parse(value), value);
        assert.notDeepEqual(value, row.default);
      }
});
