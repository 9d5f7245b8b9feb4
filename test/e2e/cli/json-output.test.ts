// `--json` of every command that prints data: one JSON document on stdout and nothing on stderr; a failure has an exit code and
// one sentence on stderr, and nothing on stdout. All run against one server, as an operator's scripts do; in this process where
// they succeed, because most of the time of a command is the start of its process.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Command } from 'commander';
import { registerCommands } from '../../../src/cli/commands.ts';
import {
  finishSpillway,
  runSpillway,
  type SpillwayProcess,
} from '../../support/gateway/spillway-process.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const folder = makeTempFolder();
const ENV = { SPILLWAY_DATA_DIR: join(folder, 'data') };
let server: SpillwayProcess;

before(async () => {
  server = runSpillway(['serve'], ENV);
  const url = await server.ready();
  const key = readFileSync(join(folder, 'data', 'api-key'), 'utf8').trim();
  const answer = await fetch(`${url}/v1/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'order-1', model: 'gemini-2.5-flash', prompt: 'Hello' }),
  });
  assert.equal(answer.status, 202);
  writeFileSync(
    join(folder, 'litellm.yaml'),
    'model_list:\n  - model_name: smart\n    litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/OPENAI_API_KEY }\n',
  );
});

after(async () => {
  server.kill('SIGTERM');
  await server.ended();
  rmSync(folder, { recursive: true, force: true });
});

/** In this order: a command may need the result of one before it. `$key` is the id of the created key. */
const CALLS: readonly (readonly string[])[] = [
  ['migrate'],
  ['config'],
  ['import', 'litellm', join(folder, 'litellm.yaml'), '--out', join(folder, 'spillway.yaml')],
  ['explain', 'Claude AI usage limit reached|1754636400'],
  ['orgs', 'create', 'acme'],
  ['orgs', 'list'],
  ['orgs', 'set', 'acme', '--rpm', '5'],
  ['keys', 'create', '--org', 'acme'],
  ['keys', 'list', '--org', 'acme'],
  ['keys', 'revoke', '--org', 'acme', '$key'],
  ['orgs', 'delete', 'acme'],
  ['limits', 'set', 'anthropic', 'us-east', '--until', '+2h'],
  ['limits', 'list'],
  ['limits', 'clear', 'anthropic', 'us-east'],
  ['simulate', 'scenario', 'healthy'],
  ['jobs', 'list'],
  ['jobs', 'show', 'order-1'],
  ['dlq', 'list'],
  ['dlq', 'retry', '--all'],
  ['dlq', 'purge', '--all'],
  ['servers', 'list'],
  ['doctor'],
];

/** Without a call here: they run until a signal, take minutes, need an ended or failed job, or a second server. */
const ELSEWHERE = [
  'simulate',
  'bench',
  'chaos',
  'clients',
  'jobs cancel',
  'dlq show',
  'servers drain',
  'servers maintenance',
  'servers resume',
];

/** All commands with their output. */
function commandLine() {
  const output: string[] = [];
  const errors: string[] = [];
  const program = new Command('spillway').exitOverride();
  registerCommands(program, {
    env: { PATH: process.env['PATH'], PORT: '0', ...ENV },
    cwd: folder,
    isStdinTerminal: false,
    out: (text) => void output.push(text),
    err: (text) => void errors.push(text),
    readStdin: () => Promise.resolve(''),
    progress: { show: (text) => void errors.push(text), clear: () => {} },
  });
  return { program, output, errors };
}

test('every command with --json is called here, or named as tested elsewhere', () => {
  const { program } = commandLine();
  const names = program.commands.flatMap((command) =>
    [command, ...command.commands]
      .filter(({ options }) => options.some(({ long }) => long === '--json'))
      .map((each) => (each === command ? each.name() : `${command.name()} ${each.name()}`)),
  );
  const called = CALLS.map((args) =>
    args.slice(0, names.includes(args[0] ?? '') ? 1 : 2).join(' '),
  );
  const scenario = ['simulate scenario'];
  assert.deepEqual(
    names.filter((name) => ![...called, ...scenario, ...ELSEWHERE].includes(name)),
    [],
  );
});

test('--json prints one JSON document and nothing else', async (t) => {
  let key = '';
  for (const args of CALLS) {
    const call = args.map((arg) => (arg === '$key' ? key : arg));
    await t.test(args.slice(0, 3).join(' '), async () => {
      const { program, output, errors } = commandLine();
      await program.parseAsync([...call, '--json'], { from: 'user' });
      assert.deepEqual(errors, []);
      const document = JSON.parse(output.join('\n')) as { id?: string };
      assert.ok(typeof document === 'object' && document !== null);
      if (args[1] === 'create' && args[0] === 'keys') key = document.id ?? '';
    });
  }
});

test('a process writes the document to stdout and nothing to stderr', async () => {
  const { code, output, errors } = await finishSpillway(['orgs', 'list', '--json'], ENV);
  assert.deepEqual({ code, errors }, { code: 0, errors: '' });
  assert.ok(Array.isArray((JSON.parse(output) as { data: unknown }).data));
});

for (const [code, args] of [
  [1, ['keys', 'list', '--org', 'acme-2']],
  [2, ['limits', 'set', 'anthropic', 'us-east', '--until', 'soon']],
  [2, ['config', '--config', 'missing.yaml']],
] as const)
  test(`${args.join(' ')} fails with ${code}, text on stderr and nothing on stdout`, async () => {
    const ended = await finishSpillway([...args, '--json'], ENV);
    assert.equal(ended.output, '');
    assert.match(ended.errors, /^(?:error: )?\S.*\w/);
    assert.doesNotMatch(ended.errors, /^\s+at /m);
    assert.equal(ended.code, code);
  });
