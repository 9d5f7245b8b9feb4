// `spillway chaos`: kills processes and services under load and counts losses. The programs are in chaos/, which is part
// of the repository and not of the published package; they start their own services.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { CliFailure, EXIT } from '../command.ts';

type ChaosOptions = {
  row: string[];
  seed?: number;
  scale: number;
  short?: boolean;
  json?: boolean;
  keepLogs?: boolean;
};

type ChaosEntry = {
  readonly runChaos: (request: object) => Promise<{ text: string; failed: readonly string[] }>;
};

const ENTRY = new URL('../../../chaos/run-chaos.ts', import.meta.url);
const MAX_SEED = 4_294_967_295;

export const registerChaos: RegisterCommand = (program, context) => {
  describeChaos(program).action(async (options: ChaosOptions) => {
    const { runChaos } = await loadEntry();
    const outcome = await runChaos({
      rows: options.row,
      seed: options.seed,
      scale: options.scale,
      isShort: options.short ?? false,
      isJson: options.json ?? false,
      keepsLogs: options.keepLogs ?? false,
    }).catch(asCliFailure);
    context.out(outcome.text);
    if (outcome.failed.length > 0)
      throw new CliFailure(`Failed rows: ${outcome.failed.join(', ')}.`, EXIT.failure);
  });
};

function describeChaos(program: Command): Command {
  return program
    .command('chaos')
    .description('kill processes and services under load and count losses')
    .option('--row <name>', 'only this row of the table; repeatable', collect, [])
    .option('--seed <number>', 'the seed of an earlier run', between(0, MAX_SEED))
    .option('--scale <number>', 'multiply the number of jobs and kills', between(0.01, 100), 1)
    .option('--short', '500 jobs and 3 kills on a selection of rows, for every change')
    .option('--keep-logs', 'keep the logs of all processes and print their folder')
    .option('--json', 'print the results as JSON');
}

function collect(name: string, before: readonly string[]): string[] {
  return [...before, name];
}

function between(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

async function loadEntry(): Promise<ChaosEntry> {
  if (!existsSync(ENTRY))
    throw new CliFailure(
      'The chaos run is part of the repository, not of the installed package: run it in a clone.',
    );
  const loaded: unknown = await import(ENTRY.href);
  if (!isChaosEntry(loaded)) throw new Error('chaos/run-chaos.ts exports no runChaos');
  return loaded;
}

function isChaosEntry(loaded: unknown): loaded is ChaosEntry {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    'runChaos' in loaded &&
    typeof loaded.runChaos === 'function'
  );
}

/** Prints a failed run as one sentence: its stack trace is in the chaos programs, not in Spillway. */
function asCliFailure(error: unknown): never {
  if (error instanceof RangeError) throw new CliFailure(error.message, EXIT.usage, error);
  if (error instanceof Error) throw new CliFailure(error.message, EXIT.failure, error);
  throw error;
}
