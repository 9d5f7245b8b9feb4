import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { CliFailure, EXIT } from './command.ts';
import { assertKnownCommand } from './known-command.ts';

const program = new Command();
program.command('serve', { isDefault: true });
program.command('simulate');

test('a misspelt command is refused with the command that was meant', () => {
  assert.throws(
    () => assertKnownCommand(program, ['serv']),
    (error) =>
      error instanceof CliFailure &&
      error.exitCode === EXIT.usage &&
      error.message.startsWith('There is no command serv. Did you mean serve?'),
  );
});

test('a name without a close command is refused without a suggestion', () => {
  assert.throws(() => assertKnownCommand(program, ['dashboard']), {
    message: 'There is no command dashboard. spillway --help lists the commands.',
  });
});

test('a known command, an option and no argument pass', () => {
  for (const args of [['simulate', '--port', '0'], ['--help'], ['help'], []])
    assert.doesNotThrow(() => assertKnownCommand(program, args));
});
