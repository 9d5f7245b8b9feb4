// Refuses an unknown command before commander does: `serve` is the default command, so that commander takes a misspelt
// name for an argument of `serve`.

import type { Command } from 'commander';
import { CliFailure, EXIT } from './command.ts';
import { suggestion } from './read-choice.ts';

export function assertKnownCommand(program: Command, args: readonly string[]): void {
  const [given] = args;
  if (given === undefined || given.startsWith('-')) return;
  const known = [...program.commands.map((command) => command.name()), 'help'];
  if (known.includes(given)) return;
  throw new CliFailure(
    `There is no command ${given}.${suggestion(given, known)} spillway --help lists the commands.`,
    EXIT.usage,
  );
}
