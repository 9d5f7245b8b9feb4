// `spillway clients`: real SDKs and agents on a failing provider, direct and through Spillway. The programs are in
// clients/, which is part of the repository and not of the published package.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { collect } from '../admin-options.ts';
import { type CliContext, CliFailure, EXIT, type RegisterCommand } from '../command.ts';
import { loadProgram } from '../repository-program.ts';

type ClientsOptions = {
  readonly client?: readonly string[];
  readonly failure?: readonly string[];
  readonly full?: boolean;
  readonly long?: boolean;
  readonly compaction?: boolean;
  readonly json?: boolean;
  readonly write?: boolean;
  readonly cache?: string;
};

const outcomeSchema = z.object({ text: z.string(), failed: z.array(z.string()) });

const ENTRY = new URL('../../../clients/run-clients.ts', import.meta.url);

export const registerClients: RegisterCommand = (program, context) => {
  program
    .command('clients')
    .description('Run SDKs and agents on a failing provider, direct and through Spillway')
    .option('--client <name>', 'only this client; repeatable', collect)
    .option('--failure <name>', 'only this failure; repeatable', collect)
    .option('--full', 'also failures that take minutes')
    .option('--long', 'only answers of 65 s, 5 minutes and 20 minutes, in real time')
    .option('--compaction', 'only agents with an overflowing context window')
    .option('--cache <folder>', 'where clients are installed (a folder of the user’s cache)')
    .option('--write', 'write docs/clients.md from the cells of this run and of earlier ones')
    .option('--json', 'print the results as JSON')
    .action(async (options: ClientsOptions) => {
      const runClients = await loadProgram(ENTRY, 'runClients');
      const result = await runClients({
        clients: options.client ?? [],
        failures: options.failure ?? [],
        isFull: options.full ?? false,
        isLong: options.long ?? false,
        isCompaction: options.compaction ?? false,
        isJson: options.json ?? false,
        writes: options.write ?? false,
        cache: options.cache ?? cacheFolder(context),
      });
      const { text, failed } = outcomeSchema.parse(result);
      context.out(text);
      if (failed.length > 0)
        throw new CliFailure(`Worse than direct: ${failed.join(', ')}.`, EXIT.failure);
    });
};

function cacheFolder({ env }: CliContext): string {
  const caches = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return env['SPILLWAY_CLIENTS_CACHE'] ?? join(caches, 'spillway-clients');
}
