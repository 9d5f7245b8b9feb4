// All commands, in the order of `--help`.

import type { Command } from 'commander';
import type { CliContext, RegisterCommand } from './command.ts';
import { registerBench } from './commands/bench.ts';
import { registerChaos } from './commands/chaos.ts';
import { registerClients } from './commands/clients.ts';
import { registerConfig } from './commands/config.ts';
import { registerDlq } from './commands/dlq.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerExplain } from './commands/explain.ts';
import { registerImport } from './commands/import.ts';
import { registerJobs } from './commands/jobs.ts';
import { registerKeys } from './commands/keys.ts';
import { registerLimits } from './commands/limits.ts';
import { registerMigrate } from './commands/migrate.ts';
import { registerOrgs } from './commands/orgs.ts';
import { registerRoles, registerServe } from './commands/serve.ts';
import { registerServers } from './commands/servers.ts';
import { registerSimulate } from './commands/simulate.ts';
import { completeHelp } from './help.ts';

const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerRoles,
  registerSimulate,
  registerMigrate,
  registerConfig,
  registerImport,
  registerExplain,
  registerKeys,
  registerOrgs,
  registerLimits,
  registerServers,
  registerJobs,
  registerDlq,
  registerDoctor,
  registerBench,
  registerChaos,
  registerClients,
];

export function registerCommands(program: Command, context: CliContext): void {
  for (const register of COMMANDS) register(program, context);
  completeHelp(program);
}
