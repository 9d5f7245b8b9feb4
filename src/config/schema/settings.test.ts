import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderConfigurationDoc } from '../documents/configuration-page.ts';
import { EXAMPLE_YAML } from '../documents/configuration-prose.ts';
import { renderEnvExample } from '../documents/env-example.ts';
import { loadFrom } from '../load-config.ts';
import { sourcesFrom } from '../sources.ts';
import { ACCOUNT_ROWS, ALIAS_ROWS, MODEL_ROWS, PROVIDER_ROWS } from './named-settings.ts';
import type { Rows } from './setting.ts';
import { SETTINGS } from './settings.ts';
import { SECTION_VARIABLES } from './variables.ts';

const TABLES: readonly Rows[] = [
  ...Object.values(SETTINGS),
  PROVIDER_ROWS,
  ACCOUNT_ROWS,
  ALIAS_ROWS,
  MODEL_ROWS,
];

function repositoryFile(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

test('docs/configuration.md is equal to the tables (else run node src/config/write-docs.ts)', () => {
  assert.equal(repositoryFile('docs/configuration.md'), renderConfigurationDoc());
});

test('.env.example is equal to the tables (else run node src/config/write-docs.ts)', () => {
  assert.equal(repositoryFile('.env.example'), renderEnvExample());
});

test('.env.example with every line uncommented equals the defaults', () => {
  const text = renderEnvExample().replaceAll(/^#(?=[A-Z_]+=)/gm, '');
  const dotenvFile = { path: '/.env', text };
  const { config, origins } = loadFrom(sourcesFrom({ env: {}, cwd: '/', dotenvFile }));
  const plain = loadFrom(sourcesFrom({ env: {}, cwd: '/' })).config;
  assert.ok(origins.size > 30);
  assert.deepEqual({ ...config, server: { ...config.server, isPortSet: false } }, plain);
});

test('the example of the documentation loads', () => {
  const configFile = { path: '/spillway.yaml', text: EXAMPLE_YAML };
  const env = { ANTHROPIC_API_KEY: 'a', ANTHROPIC_SECOND_KEY: 'b', GROQ_KEY: 'c' };
  const { config } = loadFrom(sourcesFrom({ env, cwd: '/', configFile }));
  assert.equal(config.providers.anthropic.rateLimitPerMinute, 1200);
  assert.equal(config.aliases['fast']?.targets.length, 2);
  assert.equal(config.retention.resultsMs, 7 * 86_400_000);
});

test('no variable is used by two settings', () => {
  assert.equal(new Set(SECTION_VARIABLES).size, SECTION_VARIABLES.length);
});

test('every default is a value that its own kind accepts and writes back', () => {
  for (const [key, row] of TABLES.flatMap((rows) => Object.entries(rows))) {
    if (row.default === undefined || key === 'weights') continue;
    assert.deepEqual(row.kind.schema.parse(row.default), row.default, key);
    const written = row.kind.write(row.default);
    if (written !== '') assert.deepEqual(row.kind.schema.parse(written), row.default, key);
  }
});

test('every setting has a description and, without a default, the effect of leaving it out', () => {
  for (const [key, row] of TABLES.flatMap((rows) => Object.entries(rows))) {
    assert.match(row.about, /^[A-Z].*\.$/, key);
    if (row.default === undefined) assert.ok(row.whenUnset, key);
  }
});
