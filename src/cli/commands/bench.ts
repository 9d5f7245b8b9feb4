// `spillway bench`: measures the speed claims on this machine. The programs are in bench/, which is part of the
// repository and not of the published package.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { CliFailure, EXIT } from '../command.ts';

type BenchOptions = {
  rounds?: number;
  seconds?: number;
  short?: boolean;
  json?: boolean;
  calibrate?: boolean;
  profile?: boolean;
  trace?: string;
};

type BenchEntry = {
  readonly runBench: (request: object) => Promise<{ text: string; missed: readonly string[] }>;
};

const ENTRY = new URL('../../../bench/run-bench.ts', import.meta.url);

export const registerBench: RegisterCommand = (program, context) => {
  describeBench(program).action(async (rows: string[], options: BenchOptions) => {
    const { runBench } = await loadEntry();
    const outcome = await runBench({
      rows,
      rounds: options.rounds,
      seconds: options.seconds,
      isShort: options.short ?? false,
      isJson: options.json ?? false,
      isCalibration: options.calibrate ?? false,
      isProfile: options.profile ?? false,
      traceFile: options.trace,
    }).catch(asCliFailure);
    context.out(outcome.text);
    if (outcome.missed.length > 0)
      throw new CliFailure(`Targets missed: ${outcome.missed.join('; ')}.`, EXIT.failure);
  });
};

function describeBench(program: Command): Command {
  return program
    .command('bench')
    .description('measure the speed claims on this machine, side by side with a bare proxy')
    .argument('[rows...]', 'rows of the table; default: all')
    .option('--rounds <number>', 'measured rounds (5)', between(1, 50))
    .option('--seconds <number>', 'length of a round (4)', between(0.5, 120))
    .option('--short', 'fewer and shorter rounds with a tolerance, for busy machines')
    .option('--json', 'print the results as JSON')
    .option('--calibrate', 'measure the bare proxy against itself: the noise of this machine')
    .option('--profile', 'write a CPU profile of the gateway to bench/results, without a verdict')
    .option('--trace <file>', 'the requests that the row trace replays, as a CSV file');
}

function between(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

async function loadEntry(): Promise<BenchEntry> {
  if (!existsSync(ENTRY))
    throw new CliFailure(
      'The benchmark is part of the repository, not of the installed package: run it in a clone.',
    );
  const loaded: unknown = await import(ENTRY.href);
  if (!isBenchEntry(loaded)) throw new Error('bench/run-bench.ts exports no runBench');
  return loaded;
}

function isBenchEntry(loaded: unknown): loaded is BenchEntry {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    'runBench' in loaded &&
    typeof loaded.runBench === 'function'
  );
}

/** Prints a failed run as one sentence: its stack trace is in the benchmark, not in Spillway. */
function asCliFailure(error: unknown): never {
  if (error instanceof RangeError) throw new CliFailure(error.message, EXIT.usage, error);
  if (error instanceof Error) throw new CliFailure(error.message, EXIT.failure, error);
  throw error;
}
