#!/usr/bin/env node
// The entry point, the only file that accesses arguments, environment, output and exit code. Every failure that an operator can
// cause is one sentence on stderr; a stack trace means a defect of Spillway.

import { text } from 'node:stream/consumers';
import { Command, CommanderError } from 'commander';
import { StartFailure } from '../app/start-failure.ts';
import { ConfigError } from '../config/config-error.ts';
import { VERSION } from '../kernel/version.ts';
import { type CliContext, CliFailure, EXIT } from './command.ts';
import { registerCommands } from './commands.ts';
import { assertKnownCommand } from './known-command.ts';
import { createProgress } from './progress.ts';

const context: CliContext = {
  env: process.env,
  cwd: process.cwd(),
  isStdinTerminal: process.stdin.isTTY === true,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  readStdin: () => text(process.stdin),
  progress: createProgress(process.stderr),
};

// A closed pipe (`spillway … | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  const program = new Command('spillway')
    .description('A self-hosted AI capacity gateway.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeErr: (line) => context.err(line.trimEnd()) })
    .showHelpAfterError('(spillway --help lists the commands)');
  registerCommands(program, context);
  try {
    assertKnownCommand(program, args);
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof ConfigError) return sentence(error, EXIT.usage);
  if (error instanceof StartFailure) return sentence(error, EXIT.failure);
  if (error instanceof CliFailure) return sentence(error, error.exitCode);
  context.err(
    `Spillway failed unexpectedly: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return EXIT.failure;
}

function sentence(error: Error, exitCode: number): number {
  context.err(error.message);
  return exitCode;
}
