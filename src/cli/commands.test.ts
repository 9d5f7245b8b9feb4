// Keeps docs/cli.md equal to the registered commands: a section with an example for each, every option, and no other.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { registerCommands } from './commands.ts';
import { silentProgress } from './progress.ts';

const DOCUMENT = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
/** Documented once, at the top of the page. */
const EVERYWHERE = ['--help', '--json', '--config'];

/** Commands that have an action and subcommands. */
const RUNS_ALONE = ['simulate'];

function registered(): ReadonlyMap<string, Command> {
  const program = new Command('spillway');
  const context = {
    env: {},
    cwd: '',
    isStdinTerminal: false,
    out: () => {},
    err: () => {},
    readStdin: () => Promise.resolve(''),
    progress: silentProgress,
  };
  registerCommands(program, context);
  return new Map(leavesOf(program));
}

function leavesOf(parent: Command, path: readonly string[] = []): [string, Command][] {
  return parent.commands.flatMap((command) => {
    const own = [...path, command.name()];
    const self = [own.join(' '), command] satisfies [string, Command];
    const below = leavesOf(command, own);
    return below.length === 0
      ? [self]
      : RUNS_ALONE.includes(own.join(' '))
        ? [self, ...below]
        : below;
  });
}

function sections(): ReadonlyMap<string, string> {
  const parts = DOCUMENT.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

test('docs/cli.md has a section for each command, in the order of --help', () => {
  assert.deepEqual([...sections().keys()], [...registered().keys()]);
});

test('each section has an example that runs its command', () => {
  for (const [name, text] of sections()) {
    const examples = /^```sh\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
    assert.match(examples, new RegExp(`^(\\w+=\\S+ )?spillway ${name}( |$)`, 'm'), name);
  }
});

test('each section names the options of its command and no others', () => {
  const commands = registered();
  for (const [name, text] of sections()) {
    const options = commands.get(name)?.options.map(({ long }) => long ?? '') ?? [];
    const named = new Set(text.match(/--[a-z][a-z-]*/g));
    const missing = options.filter((each) => !named.has(each) && !EVERYWHERE.includes(each));
    const unknown = [...named].filter((each) => !options.includes(each) && each !== '--help');
    assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] }, name);
  }
});

function examplesIn(text: string): readonly string[] {
  const block = /^```sh\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
  return block.trim().split('\n');
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

test('--help of each command has its purpose, described arguments and options, examples and exit codes', () => {
  for (const [name, command] of registered()) {
    assert.match(command.description(), /^[A-Z](?!.*\. ).+$/, `${name}: one sentence`);
    for (const argument of command.registeredArguments)
      assert.notEqual(argument.description, '', `${name} ${argument.name()}`);
    for (const { long, description } of command.options)
      assert.notEqual(description, '', `${name} ${long}`);
    const help = helpOf(command);
    for (const example of examplesIn(sections().get(name) ?? ''))
      assert.ok(help.includes(`\n  ${example}\n`), `${name}: ${example}`);
    assert.match(help, /Exit codes: 0 success; 1 .*; 2 wrong arguments or configuration\./, name);
  }
});
