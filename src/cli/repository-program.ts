// The programs bench/ and chaos/ are part of the repository and not of the published package: a command loads them on
// demand and prints their failures as one sentence.

import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { reasonOf } from '../kernel/log.ts';
import { CliFailure, EXIT } from './command.ts';

/** Imports the entry and returns its exported function `name`; a failed run rejects with a CliFailure. */
export async function loadProgram(
  entry: URL,
  name: string,
): Promise<(request: object) => Promise<unknown>> {
  if (!existsSync(entry))
    throw new CliFailure(
      'This command is part of the repository, not of the installed package; run it in a clone.',
    );
  const loaded: unknown = await import(entry.href);
  const run: unknown =
    typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, name) : undefined;
  if (typeof run !== 'function') throw new Error(`${entry.pathname} does not export ${name}`);
  return async (request) => {
    try {
      return await run(request);
    } catch (error) {
      throw asCliFailure(error);
    }
  };
}

/** A parser for numeric options. */
export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };
}

/** A failed run is printed as one sentence: its stack trace is in the program, not in Spillway. */
function asCliFailure(error: unknown): CliFailure {
  const exitCode = error instanceof RangeError ? EXIT.usage : EXIT.failure;
  return new CliFailure(reasonOf(error), exitCode, error);
}
