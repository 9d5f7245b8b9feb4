// Every command of the command line, in the order `--help` shows them.

import type { RegisterCommand } from './command.ts';
import { registerBench } from './commands/bench.ts';
import { registerConfig } from './commands/config.ts';
import { registerServe } from './commands/serve.ts';
import { registerSimulate } from './commands/simulate.ts';

export const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerSimulate,
  registerConfig,
  registerBench,
];
