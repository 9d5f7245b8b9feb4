import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadFrom } from './load-config.ts';
import { sourcesFrom } from './sources.ts';

function messageOf(texts: {
  env?: Record<string, string>;
  yaml?: string;
  dotenv?: string;
}): string {
  try {
    loadFrom(
      sourcesFrom({
        env: texts.env ?? {},
        cwd: '/',
        configFile: { path: '/etc/spillway.yaml', text: texts.yaml ?? '' },
        dotenvFile: { path: '/etc/.env', text: texts.dotenv ?? '' },
      }),
    );
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return error.message;
    throw error;
  }
  return 'no error';
}

const TOO_SHORT = 'sixteen-letters!';

/** Variable, value, sentence: one row for every kind of wrong value. */
const WRONG_VARIABLES: readonly (readonly [string, string, string])[] = [
  ['PORT', 'abc', 'PORT is "abc", but it must be a whole number from 0 to 65535.'],
  ['PORT', '80.5', 'PORT is "80.5", but it must be a whole number from 0 to 65535.'],
  ['PORT', '65536', 'PORT is "65536", but it must be a whole number from 0 to 65535.'],
  [
    'OPENAI_RATE_LIMIT',
    '0',
    'OPENAI_RATE_LIMIT is "0", but it must be a whole number of 1 or more.',
  ],
  [
    'HOST',
    'http://here',
    'HOST is "http://here", but it must be an IP address or a host name, without a port.',
  ],
  [
    'LOG_LEVEL',
    'loud',
    'LOG_LEVEL is "loud", but it must be debug, info, warn, error or critical.',
  ],
  [
    'MIGRATE_ON_START',
    'maybe',
    'MIGRATE_ON_START is "maybe", but it must be true, 1, yes, on, false, 0, no or off.',
  ],
  [
    'RETRY_DELAY_MS',
    '3 weeks',
    'RETRY_DELAY_MS is "3 weeks", but it must be a duration (milliseconds, or like 30s, 10m, 1h) from 0 to 1d.',
  ],
  [
    'DATABASE_URL',
    'mysql://root:hunter2@db/spillway',
    'DATABASE_URL is "mysql://root:****@db/spillway", but it must be an address that begins with postgres:// or postgresql://.',
  ],
  [
    'REDIS_URL',
    'localhost:6379',
    'REDIS_URL is "localhost:6379", but it must be an address that begins with redis:// or rediss://, or redis+sentinel://host:port,host:port/name for Sentinels.',
  ],
  [
    'RABBITMQ_URL',
    'http://guest:guest@broker',
    'RABBITMQ_URL is "http://guest:****@broker/", but it must be an address that begins with amqp:// or amqps://.',
  ],
  [
    'OPENAI_BASE_URL',
    'api.openai.com/v1',
    'OPENAI_BASE_URL is "api.openai.com/v1", but it must be an address that begins with https:// or http://, without credentials, query or fragment.',
  ],
  [
    'SPILLWAY_API_KEY',
    TOO_SHORT,
    'SPILLWAY_API_KEY is "****ers!", but it must be a text of 20 characters or more.',
  ],
  [
    'INTER_SERVER_SECRET',
    `${TOO_SHORT},${TOO_SHORT}`,
    'INTER_SERVER_SECRET is "****ers!", but it must be a list separated by commas (at most 2, none twice), each a text of 32 bytes or more.',
  ],
  [
    'PROVIDER_WEIGHTS',
    'gemini:lots',
    'PROVIDER_WEIGHTS is "gemini:lots", but it must be name:weight pairs separated by commas, such as gemini:70,openai:30, one above 0.',
  ],
  [
    'PROVIDER_METADATA',
    '{"gemini":{"price":1}}',
    'PROVIDER_METADATA is "{\\"gemini\\":{\\"price\\":1}}", but it must be a map of providers to cost and quality, such as {"gemini":{"cost":1,"quality":7}}.',
  ],
  [
    'AVAILABLE_PROVIDERS',
    'openai,openai',
    'AVAILABLE_PROVIDERS is "openai,openai", but it must be a list separated by commas (none twice), each 1 to 64 letters, digits, dots, dashes or underscores.',
  ],
  [
    'RAW_ANALYSIS_QUEUE',
    'amq.mine',
    'RAW_ANALYSIS_QUEUE is "amq.mine", but it must be 1 to 200 letters, digits, dots, colons, dashes or underscores, not beginning with amq.',
  ],
];

test('an invalid variable gives one sentence with its name, its value and the allowed values', () => {
  for (const [variable, value, sentence] of WRONG_VARIABLES)
    assert.equal(messageOf({ env: { [variable]: value } }), sentence);
});

test('an invalid variable of .env is reported with the file', () => {
  assert.equal(
    messageOf({ dotenv: 'PORT=many' }),
    'PORT in .env is "many", but it must be a whole number from 0 to 65535.',
  );
});

test('an invalid value of the file gives one sentence with its path, its value and the allowed values', () => {
  const wrong: Readonly<Record<string, string>> = {
    'server: { port: many }':
      'server.port in spillway.yaml is "many", but it must be a whole number from 0 to 65535.',
    'server: { bodyLimitBytes: 3MiC }':
      'server.bodyLimitBytes in spillway.yaml is "3MiC", but it must be a size (bytes, or like 512KiB, 32MiB) from 1KiB to 1GiB.',
    'timeouts: { idleMs: [1] }':
      'timeouts.idleMs in spillway.yaml is [ 1 ], but it must be a duration (milliseconds, or like 30s, 10m, 1h) of 1ms or more.',
    'jobs: { midStream: retry }':
      'jobs.midStream in spillway.yaml is "retry", but it must be error or restart.',
    'server: 8787': 'server in spillway.yaml is a number, but it must be a map of keys and values.',
    '- server': 'spillway.yaml is a list, but it must be a map of keys and values.',
    'providers: { groq: { models: [a, a], baseUrl: "http://h" } }':
      "providers.groq.models in spillway.yaml is [ 'a', 'a' ], but it must be a list separated by commas (none twice), each the name of a model, without spaces.",
    'auth: { adminKey: [hunter2] }':
      'auth.adminKey in spillway.yaml is a value that is not shown, but it must be a key of 32 or more printable ASCII characters without spaces.',
    'providers: { openai: hunter2 }':
      'providers.openai in spillway.yaml is a text, but it must be a map of keys and values.',
  };
  for (const [yaml, sentence] of Object.entries(wrong)) assert.equal(messageOf({ yaml }), sentence);
});

test('an unknown key of the file is refused with the nearest known key', () => {
  const unknown: Readonly<Record<string, string>> = {
    'sevrer: {}': 'sevrer in spillway.yaml is not a known key; the nearest one is server.',
    'server: { prot: 1 }':
      'server.prot in spillway.yaml is not a known key; the nearest one is server.port.',
    'providers: { openai: { apikey: x } }':
      'providers.openai.apikey in spillway.yaml is not a known key; the nearest one is providers.openai.apiKey.',
    'providers: { openai: { accounts: [{ nmae: x }] } }':
      'providers.openai.accounts.0.nmae in spillway.yaml is not a known key; the nearest one is providers.openai.accounts.0.name.',
    'aliases: { fast: { target: x } }':
      'aliases.fast.target in spillway.yaml is not a known key; the nearest one is aliases.fast.targets.',
  };
  for (const [yaml, sentence] of Object.entries(unknown))
    assert.equal(messageOf({ yaml }), sentence);
  assert.match(
    messageOf({ yaml: '__proto__: { port: 1 }' }),
    /^__proto__ in .* is not a known key/,
  );
});

test('a file that is not YAML is refused by line, without its contents', () => {
  assert.equal(
    messageOf({ yaml: 'auth:\n  adminKey: hunter2\n  adminKey: hunter3\n' }),
    'spillway.yaml is not valid YAML at line 3, column 3 (duplicate key).',
  );
  assert.match(messageOf({ yaml: 'a: &a [*a' }), /^spillway\.yaml is not valid YAML/);
});

test('a misspelt SPILLWAY_ variable is refused, and other variables are ignored', () => {
  assert.equal(
    messageOf({ env: { SPILLWAY_DATADIR: '/data' } }),
    'SPILLWAY_DATADIR is not a known variable; the nearest one is SPILLWAY_DATA_DIR.',
  );
  const others = { SPILLWAY_PORT: 'tcp://10.0.0.1:8787', SPILLWAY_NO_INSTALL: '1', PROT: '1' };
  assert.equal(messageOf({ env: others }), 'no error');
});
