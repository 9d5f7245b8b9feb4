// `serve` runs all roles in one process; `gateway`, `dispatcher` and `worker` run one role each, for clusters.

import type { Command } from 'commander';
import type { CliContext, RegisterCommand } from '../command.ts';
import { readPort } from '../read-port.ts';

type RoleName = 'serve' | 'gateway' | 'dispatcher' | 'worker';
type RoleOptions = {
  readonly config?: string;
  readonly provider?: string;
  readonly port?: number;
  readonly host?: string;
};

export const registerServe: RegisterCommand = (program, context) => {
  const about = 'Run the gateway, the dispatcher and the workers in one process.';
  role(program.command('serve', { isDefault: true }).description(about), 'serve', context);
};

export const registerRoles: RegisterCommand = (program, context) => {
  const gateway = program
    .command('gateway')
    .description('Run only the gateway, which serves callers.');
  role(gateway, 'gateway', context);
  const dispatcher = program
    .command('dispatcher')
    .description('Run only a dispatcher, which routes jobs to providers.');
  role(dispatcher, 'dispatcher', context);
  const worker = program
    .command('worker')
    .description("Run only a worker, which runs one provider's jobs.")
    .option('--provider <name>', 'the provider of the queue (default: PROVIDER_FIXED)');
  role(worker, 'worker', context);
};

function role(command: Command, name: RoleName, context: CliContext): void {
  command
    .option('--config <file>', 'configuration file (default: spillway.yaml, if it exists)')
    .option('--port <port>', 'port to listen on, instead of PORT (0 takes a free one)', readPort)
    .option('--host <host>', 'address to listen on, instead of HOST')
    .action(async ({ config, ...options }: RoleOptions) => {
      // Imported on demand: the other commands do not need the server.
      const { runServer } = await import('../run-server.ts');
      await runServer(context, { role: name, configFile: config, ...options });
    });
}
