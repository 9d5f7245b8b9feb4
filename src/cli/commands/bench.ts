// `spillway bench`: measures the speed claims on this machine. The programs are in bench/, which is part of the
// repository and not of the published package.

import type { Command } from 'commander';
import { z } from 'zod';
import type { RegisterCommand } from '../command.ts';
import { CliFailure, EXIT } from '../command.ts';
import { loadProgram, numberBetween } from '../repository-program.ts';

type BenchOptions = {
  rounds?: number;
  seconds?: number;
  short?: boolean;
  json?: boolean;
  calibrate?: boolean;
  profile?: boolean;
  trace?: string;
};

const outcomeSchema = z.object({ text: z.string(), missed: z.array(z.string()) });

const ENTRY = new URL('../../../bench/run-bench.ts', import.meta.url);

export const registerBench: RegisterCommand = (program, context) => {
  describeBench(program).action(async (rows: string[], options: BenchOptions) => {
    const runBench = await loadProgram(ENTRY, 'runBench');
    const result = await runBench({
      rows,
      rounds: options.rounds,
      seconds: options.seconds,
      isShort: options.short ?? false,
      isJson: options.json ?? false,
      isCalibration: options.calibrate ?? false,
      isProfile: options.profile ?? false,
      traceFile: options.trace,
    });
    const outcome = outcomeSchema.parse(result);
    context.out(outcome.text);
    if (outcome.missed.length > 0)
      throw new CliFailure(`Targets missed: ${outcome.missed.join('; ')}.`, EXIT.failure);
  });
};

function describeBench(program: Command): Command {
  return program
    .command('bench')
    .description('Measure the speed claims on this machine, side by side with a bare proxy')
    .argument('[rows...]', 'rows of the table; default: all')
    .option('--rounds <number>', 'number of measured rounds (default: 5)', numberBetween(1, 50))
    .option(
      '--seconds <number>',
      'length of a round in seconds (default: 4)',
      numberBetween(0.5, 120),
    )
    .option('--short', 'fewer and shorter rounds with a tolerance, for busy machines')
    .option('--json', 'print the results as JSON')
    .option('--calibrate', 'measure the bare proxy against itself: the noise of this machine')
    .option('--profile', 'write a CPU profile of the gateway to bench/results, without a verdict')
    .option('--trace <file>', 'the requests that the row trace replays, as a CSV file');
}
