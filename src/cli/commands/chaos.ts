// `spillway chaos`: kills processes and services under load and counts losses. The programs are in chaos/, which is part
// of the repository and not of the published package; they start their own services.

import type { Command } from 'commander';
import { z } from 'zod';
import type { RegisterCommand } from '../command.ts';
import { CliFailure, EXIT } from '../command.ts';
import { loadProgram, numberBetween } from '../repository-program.ts';

type ChaosOptions = {
  row: string[];
  seed?: number;
  scale: number;
  short?: boolean;
  json?: boolean;
  keepLogs?: boolean;
};

const outcomeSchema = z.object({ text: z.string(), failed: z.array(z.string()) });

const ENTRY = new URL('../../../chaos/run-chaos.ts', import.meta.url);
const MAX_SEED = 4_294_967_295;

export const registerChaos: RegisterCommand = (program, context) => {
  describeChaos(program).action(async (options: ChaosOptions) => {
    const runChaos = await loadProgram(ENTRY, 'runChaos');
    const result = await runChaos({
      rows: options.row,
      seed: options.seed,
      scale: options.scale,
      isShort: options.short ?? false,
      isJson: options.json ?? false,
      keepsLogs: options.keepLogs ?? false,
    });
    const outcome = outcomeSchema.parse(result);
    context.out(outcome.text);
    if (outcome.failed.length > 0)
      throw new CliFailure(`Failed rows: ${outcome.failed.join(', ')}.`, EXIT.failure);
  });
};

function describeChaos(program: Command): Command {
  return program
    .command('chaos')
    .description('Kill processes and services under load and count losses')
    .option('--row <name>', 'only this row of the table; repeatable', collect, [])
    .option('--seed <number>', 'the seed of an earlier run', numberBetween(0, MAX_SEED))
    .option(
      '--scale <number>',
      'multiply the number of jobs and kills',
      numberBetween(0.01, 100),
      1,
    )
    .option('--short', '500 jobs and 3 kills on a selection of rows, for every change')
    .option('--keep-logs', 'keep the logs of all processes and print their folder')
    .option('--json', 'print the results as JSON');
}

function collect(name: string, before: readonly string[]): string[] {
  return [...before, name];
}
