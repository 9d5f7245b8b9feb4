import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { silentProgress } from '../progress.ts';
import { registerImport } from './import.ts';

const LITELLM = `model_list:
  - { model_name: fast, litellm_params: { model: groq/llama, api_key: gsk-very-secret } }
litellm_settings: { max_budget: 5, budget_duration: 30d, cache: true, tpyo: 1 }
`;

async function run(context: TestContext, args: readonly string[], text: string | Buffer = LITELLM) {
  const cwd = tempFolder(context);
  writeFileSync(join(cwd, 'config.yaml'), text);
  return { cwd, ...(await runIn(cwd, args)) };
}

async function runIn(cwd: string, args: readonly string[]) {
  let [out, err] = ['', ''];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  registerImport(program, {
    env: {},
    cwd,
    isStdinTerminal: false,
    progress: silentProgress,
    out: (line) => void (out += `${line}\n`),
    err: (line) => void (err += `${line}\n`),
    readStdin: () => Promise.resolve(''),
  });
  await program.parseAsync(['import', ...args], { from: 'user' });
  return { out, err };
}

test('writes spillway.yaml and prints a line for each finding, the variables and the commands', async (context) => {
  const { cwd, out } = await run(context, ['litellm', 'config.yaml']);
  assert.match(readFileSync(join(cwd, 'spillway.yaml'), 'utf8'), /^aliases:\n {2}fast:/m);
  assert.match(out, /^ {4}2 {2}taken {5}model_list\[0\]\.litellm_params\.model → aliases\.fast/m);
  assert.match(out, /^ {4}3 {2}left out {2}litellm_settings\.cache \(Spillway does not cache/m);
  assert.match(out, /^ {4}3 {2}unknown {3}litellm_settings\.tpyo \(not a documented key/m);
  assert.match(out, /^ {2}GROQ_API_KEY {2}the key that is written in model_list\[0\]/m);
  assert.match(out, /^ {2}spillway orgs set default --budget 5$/m);
  assert.match(out, /prices\.models for these targets[^:]*:\n {2}groq\/llama$/m);
  assert.doesNotMatch(out, /gsk-very-secret/);
});

test('--json prints the findings, variables and commands as one document', async (context) => {
  const { out } = await run(context, ['litellm', 'config.yaml', '--json']);
  const report: Record<string, unknown> = JSON.parse(out);
  const names = 'peer,file,out,counts,findings,variables,commands,unpriced';
  assert.equal(Object.keys(report).join(), names);
  assert.deepEqual(report['commands'], [['orgs', 'set', 'default', '--budget', '5']]);
});

test('--out - prints the file on stdout and the report on stderr', async (context) => {
  const { cwd, out, err } = await run(context, ['litellm', 'config.yaml', '--out', '-']);
  assert.match(out, /^# Imported from config\.yaml \(litellm\)/);
  assert.match(err, /1 unknown\./);
  assert.equal(existsSync(join(cwd, 'spillway.yaml')), false);
});

test('an existing file is kept without --force', async (context) => {
  const { cwd } = await run(context, ['litellm', 'config.yaml']);
  const out = join(cwd, 'spillway.yaml');
  writeFileSync(out, 'mine');
  await assert.rejects(runIn(cwd, ['litellm', 'config.yaml']), {
    message: 'spillway.yaml exists and was not changed; overwrite it with --force.',
    exitCode: 2,
  });
  assert.equal(readFileSync(out, 'utf8'), 'mine');
  await runIn(cwd, ['litellm', 'config.yaml', '--force']);
  assert.notEqual(readFileSync(out, 'utf8'), 'mine');
});

test('an unusable file gets one sentence, and nothing is written', async (context) => {
  const cases: readonly (readonly [string | Buffer, RegExp])[] = [
    ['a: [', /^config\.yaml is neither YAML nor JSON: line \d+/],
    ['model_list: 3', /^model_list \(line 1\) is a number/],
    ['a: &x { b: *x }', /contains itself/],
    [Buffer.from([0xff, 0xfe, 0x00]), /^config\.yaml is not a text in UTF-8\.$/],
    [Buffer.alloc(9 * 1024 * 1024, 'x'), /^config\.yaml is larger than 8 MiB/],
  ];
  for (const [text, message] of cases) {
    const cwd = tempFolder(context);
    writeFileSync(join(cwd, 'config.yaml'), text);
    await assert.rejects(runIn(cwd, ['litellm', 'config.yaml']), { message });
    assert.equal(existsSync(join(cwd, 'spillway.yaml')), false);
  }
  const cwd = tempFolder(context);
  await assert.rejects(runIn(cwd, ['litellm', 'gone.yaml']), {
    message: 'gone.yaml cannot be read (ENOENT).',
    exitCode: 2,
  });
});

test('an unknown gateway is refused with the known ones', async (context) => {
  await assert.rejects(run(context, ['kong', 'config.yaml']), /litellm, portkey, bifrost/);
});
