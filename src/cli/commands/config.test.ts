import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Command } from 'commander';
import { silentProgress } from '../progress.ts';
import { registerConfig } from './config.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'spillway-config-'));
after(() => rmSync(FOLDER, { recursive: true }));

const ENV = { PORT: '9000', OPENAI_API_KEY: 'sk-0123456789abcdef0123456789' };

async function run(env: Record<string, string>, ...args: string[]): Promise<string> {
  let printed = '';
  const program = new Command();
  registerConfig(program, {
    env,
    cwd: FOLDER,
    isStdinTerminal: false,
    progress: silentProgress,
    out: (text) => {
      printed += text;
    },
    err: () => {},
    readStdin: () => Promise.resolve(''),
  });
  await program.parseAsync(['config', ...args], { from: 'user' });
  return printed;
}

test('the configuration is printed in groups, with sources and without secrets', async () => {
  const printed = await run(ENV);
  assert.match(printed, /^server: .*\n {2}host +127\.0\.0\.1 +default$/m);
  assert.match(printed, /^ {2}port +9000 +environment PORT$/m);
  assert.match(printed, /accounts\.default +\*\*\*\*6789 /);
  assert.doesNotMatch(printed, /sk-0|56789/);
});

test('without a key the text mentions the simulator', async () => {
  assert.match(await run({}), /uses the simulator/);
});

test('values of a preset are printed with their source', async () => {
  const printed = await run({ ...ENV, SPILLWAY_COMPAT: 'plan', PROVIDER_OVERFLOW: 'next' });
  assert.match(printed, /^ {2}compat +plan +environment SPILLWAY_COMPAT$/m);
  assert.match(printed, /^ {2}overflow +next +environment PROVIDER_OVERFLOW$/m);
  assert.match(printed, /^ {2}rateLimitDelayMs +30000 \(30s\) +preset of compat$/m);
  const json: unknown = JSON.parse(await run({ ...ENV, SPILLWAY_COMPAT: 'plan' }, '--json'));
  assert.partialDeepStrictEqual(json, {
    config: { compat: 'plan', breaker: { ratio: 0 } },
    sources: { compat: 'environment', 'breaker.ratio': 'preset', 'breaker.failures': 'default' },
  });
});

test('as JSON it is one object of files, configuration and sources', async () => {
  const printed: unknown = JSON.parse(await run(ENV, '--json'));
  assert.partialDeepStrictEqual(printed, {
    config: { server: { port: 9000 }, providers: { openai: { hasKey: true } } },
    sources: { 'server.port': 'environment', 'server.host': 'default' },
  });
  assert.doesNotMatch(JSON.stringify(printed), /sk-0|56789/);
});

test('an invalid value is thrown as one sentence', async () => {
  await assert.rejects(run({ PORT: 'x' }), {
    name: 'ConfigError',
    message: 'PORT is "x", but it must be a whole number from 0 to 65535.',
  });
});
